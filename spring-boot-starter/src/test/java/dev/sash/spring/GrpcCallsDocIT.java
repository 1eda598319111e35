package dev.sash.spring;

import static dev.sash.spring.GrpcShop.EXPORT;
import static dev.sash.spring.GrpcShop.FIND;
import static dev.sash.spring.GrpcShop.SUGGEST;
import static dev.sash.spring.GrpcShop.basic;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.LimiterRegistry;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** docs/spring.md about gRPC: what it says is configured, and happens. */
@Timeout(120)
class GrpcCallsDocIT {
  @TempDir Path folder;

  private static String only(List<String> blocks, String word) {
    List<String> found = blocks.stream().filter(block -> block.contains(word)).toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  @Test
  void theConfigurationOnThePageLimitsCalls() throws Exception {
    String yaml = only(Page.blocks("yaml"), "grpc-methods:");
    Path file = Files.writeString(folder.resolve("application.yaml"), yaml);
    Class<?> security =
        Page.compiled(only(Page.blocks("java"), "AuthenticationProcessInterceptor"), folder);
    TestApp.Builder app =
        TestApp.plain(
                GrpcShop.Application.class, TimedStore.class, GrpcSecurityIT.Users.class, security)
            .withSecurity()
            .with("spring.config.location=" + file.toUri());
    try (GrpcShop shop = GrpcShop.start(app)) {
      shop.call(FIND, "x-api-key", "one");
      shop.call(SUGGEST, "x-api-key", "one");
      shop.call(FIND, "x-api-key", "one");
      StatusRuntimeException fourth = GrpcIT.denied(shop, FIND, "x-api-key", "one");
      assertThat(Page.text())
          .contains(
              "`"
                  + fourth.getStatus().getCode()
                  + "`, the text `"
                  + fourth.getStatus().getDescription()
                  + "`");
      shop.call(FIND, "x-api-key", "other");

      shop.call(EXPORT, basic("ann"));
      shop.call(EXPORT, basic("ann"));
      assertThat(GrpcIT.denied(shop, EXPORT, basic("ann")).getStatus().getCode())
          .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      shop.call(EXPORT, basic("bob"));
      assertThat(GrpcIT.denied(shop, EXPORT).getStatus().getCode())
          .isEqualTo(Status.Code.UNAUTHENTICATED);

      LimiterRegistry limiters = shop.app().bean(LimiterRegistry.class);
      // All of these but the two that a policy denied; what Security denied is charged before it.
      assertThat(limiters.get("calls").peek("ip:127.0.0.1").used()).isEqualTo(8);
      assertThat(limiters.get("export").peek("user:ann").used()).isEqualTo(100);
    }
  }
}
