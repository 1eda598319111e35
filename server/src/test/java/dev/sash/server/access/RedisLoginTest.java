package dev.sash.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisLoginTest {
  @TempDir Path folder;

  @Test
  void readsTheFileForEveryConnection() throws IOException {
    Path file = Files.writeString(folder.resolve("password"), "first\n");
    RedisLogin login =
        Objects.requireNonNull(
            RedisLogin.of(
                Map.of("SASH_REDIS_USER", "sash", "SASH_REDIS_PASSWORD_FILE", file.toString())));
    assertThat(login.user()).isEqualTo("sash");
    assertThat(login.password().get()).isEqualTo("first");
    Files.writeString(file, "second");
    assertThat(login.password().get()).isEqualTo("second");
    assertThat(login).hasToString("RedisLogin[user=sash]");
  }

  @Test
  void needsAFileThatIsThereAndNotEmpty() throws IOException {
    assertThat(RedisLogin.of(Map.of())).isNull();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisLogin.of(Map.of("SASH_REDIS_USER", "sash")))
        .withMessage("SASH_REDIS_USER must not be set without SASH_REDIS_PASSWORD_FILE");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> RedisLogin.of(Map.of("SASH_REDIS_PASSWORD_FILE", folder.resolve("no") + "")))
        .withMessageStartingWith("SASH_REDIS_PASSWORD_FILE must name a readable file, was '");
    Path empty = Files.writeString(folder.resolve("empty"), "\n");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisLogin.of(Map.of("SASH_REDIS_PASSWORD_FILE", empty.toString())))
        .withMessage("SASH_REDIS_PASSWORD_FILE must not name an empty file");
  }
}
