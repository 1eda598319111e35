package dev.sash.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SavedStateTest {
  private static final Policy POLICY = Policy.of("api", Limit.parse("5/1m"));

  @TempDir Path folder;

  private final HandClock clock = new HandClock();

  private InMemoryStore store() {
    return InMemoryStore.builder().clock(clock).build();
  }

  private Path file() {
    return folder.resolve("counts");
  }

  @Test
  void continuesWithWhatWasChargedAndTheTimeThatPassed() throws IOException {
    InMemoryStore before = store();
    before.limiter(POLICY).tryAcquire("ann", 3);
    before.limiter(POLICY.withLimits("5/1m", "9/1h token-bucket")).tryAcquire("bob", 2);
    before.save(file());
    clock.advance(20_000_000);

    InMemoryStore after = store();
    assertThat(after.restore(file())).isEqualTo(2);
    assertThat(after.keys()).isEqualTo(2);
    assertThat(after.bytes()).isEqualTo(before.bytes());
    assertThat(after.limiter(POLICY).peek("ann").used()).isEqualTo(3);
    assertThat(after.limiter(POLICY).tryAcquire("ann", 3).retryAfter()).hasSeconds(40);
    assertThat(after.limiter(POLICY).peek("bob").used()).isEqualTo(2);
    clock.advance(40_000_000);
    assertThat(after.limiter(POLICY).peek("ann").used()).isZero();
  }

  @Test
  void anyKeyComesBack() throws IOException {
    String[] keys = {
      "a\u0000b", "\n", "{}", "\uD83D\uDE00", "\uD83D", "x".repeat(1024), "ä".repeat(512)
    };
    InMemoryStore before = store();
    for (String key : keys) {
      before.limiter(POLICY).tryAcquire(key, 2);
    }
    before.save(file());
    InMemoryStore after = store();
    assertThat(after.restore(file())).isEqualTo(keys.length);
    for (String key : keys) {
      assertThat(after.limiter(POLICY).peek(key).used()).isEqualTo(2);
    }
  }

  @Test
  void aKeyThatIsHeldStaysAsItIs() throws IOException {
    InMemoryStore before = store();
    before.limiter(POLICY).tryAcquire("ann", 3);
    before.save(file());
    InMemoryStore after = store();
    after.limiter(POLICY).tryAcquire("ann", 1);
    assertThat(after.restore(file())).isZero();
    assertThat(after.limiter(POLICY).peek("ann").used()).isEqualTo(1);
  }

  @Test
  void refusesEveryFileThatIsCutOffOrChanged() throws IOException {
    InMemoryStore before = store();
    for (int i = 0; i < 20; i++) {
      before.limiter(POLICY).tryAcquire("key" + i);
    }
    before.save(file());
    byte[] whole = Files.readAllBytes(file());
    for (int length = 0; length < whole.length; length++) {
      assertRefused(Arrays.copyOf(whole, length));
    }
    for (int at = 0; at < whole.length; at++) {
      byte[] changed = whole.clone();
      changed[at] ^= 0x10;
      assertRefused(changed);
    }
    assertRefused(Arrays.copyOf(whole, whole.length + 1));
    assertRefused("policies: {}\n".repeat(10).getBytes(UTF_8));
  }

  private void assertRefused(byte[] content) throws IOException {
    Path other = Files.write(folder.resolve("other"), content);
    InMemoryStore store = store();
    assertThatIOException().isThrownBy(() -> store.restore(other)).withMessageContaining("other");
    assertThat(store.keys()).isZero();
  }

  @Test
  void isSavedWhileDecisionsGoOn() throws Exception {
    InMemoryStore before = store();
    RateLimiter limiter = before.limiter(Policy.of("many", Limit.parse("1000000/1h")));
    limiter.tryAcquire("steady", 7);
    AtomicBoolean stop = new AtomicBoolean();
    CompletableFuture<Void> busy =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; !stop.get(); i++) {
                limiter.tryAcquire("key" + i % 50_000);
              }
            });
    for (int i = 0; i < 10; i++) {
      before.save(file());
      InMemoryStore after = store();
      after.restore(file());
      assertThat(after.limiter(limiter.policy()).peek("steady").used()).isEqualTo(7);
    }
    stop.set(true);
    busy.join();
  }
}
