package dev.sash.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretTest {
  @TempDir Path folder;
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // nanoTime may overflow
  private Path file;
  private Secret secret;

  @BeforeEach
  void firstSecret() throws IOException {
    file = Files.writeString(folder.resolve("secret"), "first\n");
    secret = Secret.ofFile("SECRET_FILE", file, SecretTest::notLong, nanos::get);
  }

  private static void notLong(String name, String secret) {
    if (secret.length() > 20) {
      throw new IllegalArgumentException(name + " must have at most 20 characters");
    }
  }

  private boolean matches(String given) {
    return secret.matches(given.getBytes(UTF_8));
  }

  private void aSecondPasses() {
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
  }

  @Test
  void readsTheFileAgainASecondLater() throws IOException {
    assertThat(matches("first")).isTrue();
    Files.writeString(file, "second");
    assertThat(matches("first")).isTrue();
    aSecondPasses();
    assertThat(matches("second")).isTrue();
    assertThat(matches("first")).isFalse();
  }

  @Test
  void seesAFileThatReplacedTheOther() throws IOException {
    Path other = Files.writeString(folder.resolve("other"), "other");
    Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
    aSecondPasses();
    assertThat(matches("other")).isTrue();
  }

  @Test
  void keepsThePreviousSecretWhileTheFileIsGoneOrNotAcceptable() throws IOException {
    Files.delete(file);
    aSecondPasses();
    assertThat(matches("first")).isTrue();
    Files.writeString(file, "far too long for the rule of this test");
    aSecondPasses();
    assertThat(matches("far too long for the rule of this test")).isFalse();
    assertThat(matches("first")).isTrue();
    Files.writeString(file, "x".repeat(5_000));
    aSecondPasses();
    assertThat(matches("first")).isTrue();
    Files.writeString(file, "third");
    aSecondPasses();
    assertThat(matches("third")).isTrue();
  }

  @Test
  void countsOnlyOneLineBreakAtTheEndAsNone() throws IOException {
    Files.writeString(file, "two\n\n");
    aSecondPasses();
    assertThat(matches("two")).isFalse();
    assertThat(matches("two\n")).isTrue();
  }

  @Test
  void refusesWhatIsNoRegularFileOrTooLong() throws IOException {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Secret.ofFile("SECRET_FILE", folder, SecretTest::notLong))
        .withMessageEndingWith(": no such regular file");
    Files.writeString(file, "x".repeat(4_097));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Secret.ofFile("SECRET_FILE", file, SecretTest::notLong))
        .withMessageEndingWith(": longer than 4096 bytes");
  }

  @Test
  void doesNotShowItself() {
    assertThat(secret).hasToString("Secret[SECRET_FILE]");
  }
}
