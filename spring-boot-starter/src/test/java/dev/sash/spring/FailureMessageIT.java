package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What people read when an application does not start. */
@ExtendWith(OutputCaptureExtension.class)
class FailureMessageIT {
  @TempDir Path folder;

  @Test
  void namesThePropertyTheLineAndTheReason(CapturedOutput output) throws Exception {
    Path yaml =
        Files.writeString(
            folder.resolve("application.yaml"),
            """
            sash:
              policies:
                api:
                  limits:
                    - 100 per fortnight
            """);
    TestApp.Builder app =
        TestApp.servlet(Shop.class).with("spring.config.location=" + yaml.toUri());

    assertThatThrownBy(app::start).isNotNull();
    assertThat(output)
        .contains("APPLICATION FAILED TO START")
        .contains("Property: sash.policies.api.limits")
        .contains("application.yaml] - 5:11")
        .contains("Reason: limit '100 per fortnight'");
  }

  @Test
  void namesTheMethodWhosePolicyIsMissing(CapturedOutput output) {
    TestApp.Builder app = TestApp.servlet(Shop.class, Annotated.class);

    assertThatThrownBy(app::start).isNotNull();
    assertThat(output).contains("APPLICATION FAILED TO START").contains("there is no policy '");
  }
}
