package dev.sash.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.PageExamples;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program in docs/grpc.md compiles as it stands, and prints what the page says. */
@Timeout(120)
class GrpcDocIT {
  private static final String ANYWHERE =
      "Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())";
  private static final String LOOPBACK =
      "io.grpc.netty.NettyServerBuilder.forAddress("
          + "new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0))";

  @Test
  void theExampleCompilesAndRuns(@TempDir Path folder) throws Exception {
    PageExamples examples = new PageExamples(Path.of("..", "docs", "grpc.md"), folder);
    assertThat(examples.sources()).hasSize(1);
    String source = examples.sources().get(0);
    assertThat(source).contains(ANYWHERE);

    assertThat(examples.run(source.replace(ANYWHERE, LOOPBACK)))
        .matches(
            """
            hello ann
            hello ann
            limit 'api' exceeded, retry after (60|[1-5]?\\d) s
            more than a minute: false""");
  }
}
