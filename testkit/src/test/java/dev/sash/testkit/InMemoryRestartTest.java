package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** A store that is saved and restored into another one again and again: no decision changes. */
class InMemoryRestartTest extends ParityContract {
  private static final int DECISIONS_BETWEEN = 37;

  @TempDir Path folder;

  @Override
  protected Store newStore(ManualClock clock) {
    return new RestartedStore(clock, folder.resolve("state"));
  }

  @Override
  protected long decisions() {
    return 20_000;
  }

  private static final class RestartedStore implements Store {
    private final ManualClock clock;
    private final Path file;
    private InMemoryStore current;
    private int decisions;

    RestartedStore(ManualClock clock, Path file) {
      this.clock = clock;
      this.file = file;
      this.current = fresh();
    }

    private InMemoryStore fresh() {
      return InMemoryStore.builder().clock(InMemoryParityTest.withoutAlarms(clock)).build();
    }

    @Override
    public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
      if (++decisions % DECISIONS_BETWEEN == 0) {
        restart();
      }
      return current.decide(operation, limits, key, permits);
    }

    private void restart() {
      try {
        current.save(file);
        current = fresh();
        current.restore(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
