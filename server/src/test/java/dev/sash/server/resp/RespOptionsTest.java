package dev.sash.server.resp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sash.server.access.RespCredentials;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RespOptionsTest {
  @Test
  void listensOnlyForThisMachineByDefault() {
    assertThat(RespOptions.defaults().host()).isEqualTo("127.0.0.1");
    assertThat(RespOptions.defaults().credentials()).isNull();
  }

  @Test
  void namesWhatIsOutOfBounds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RespOptions.builder().port(65_536).build())
        .withMessage("port must be between 0 and 65535, was 65536");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RespOptions.builder().maxRequestLength(100_000).build())
        .withMessage("maxRequestLength must be between 131072 and 16777216, was 100000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RespOptions.builder().requestTimeout(Duration.ofMillis(999)).build())
        .withMessage("requestTimeout must be between PT1S and PT8784H, was PT0.999S");
  }

  @Test
  void takesCredentialsFromTheEnvironment() {
    RespCredentials both =
        RespCredentials.of(Map.of("SASH_RESP_USER", "shop", "SASH_RESP_PASSWORD", "secret"));
    assertThat(both).isNotNull();
    assertThat(both.matches(bytes("shop"), bytes("secret"))).isTrue();
    assertThat(both.matches(bytes("default"), bytes("secret"))).isFalse();
    assertThat(both.matches(bytes("shop"), bytes("secre"))).isFalse();

    RespCredentials password = RespCredentials.of(Map.of("SASH_RESP_PASSWORD", "secret"));
    assertThat(password).isNotNull();
    assertThat(password.matches(bytes("default"), bytes("secret"))).isTrue();

    assertThat(RespCredentials.of(Map.of())).isNull();
  }

  @Test
  void refusesHalfOfTheCredentials() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RespCredentials.of(Map.of("SASH_RESP_USER", "shop")))
        .withMessage("SASH_RESP_USER must not be set without SASH_RESP_PASSWORD");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RespCredentials.of(Map.of("SASH_RESP_PASSWORD", "")))
        .withMessage("SASH_RESP_PASSWORD must not be empty; unset it for no password");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RespCredentials.of("sash-admin", "secret"))
        .withMessage("SASH_RESP_USER must not begin with sash-, was sash-admin");
  }

  @Test
  void tellsNoPassword() {
    RespOptions options =
        RespOptions.builder().credentials(RespCredentials.of("shop", "secret")).build();
    assertThat(options.toString()).doesNotContain("secret", "shop");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
