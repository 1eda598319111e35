package dev.sash.server;

import dev.sash.memory.InMemoryStore;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the counts of a server in memory in a directory, so that a restart does not forget them:
 * restores them at the start, saves them every few seconds and when the server stops. A process
 * that is killed loses what was charged since the last save.
 */
final class StateKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StateKeeper.class);
  private static final String FILE = "counts.sash";

  /** Saving takes at most a tenth of the time, however many keys there are. */
  private static final int PAUSES_PER_SAVE = 9;

  private final InMemoryStore store;
  private final Path file;
  private final long intervalNanos;
  private final FileChannel lock;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread created = new Thread(task, "sash-state");
            created.setDaemon(true);
            return created;
          });
  private boolean failing;

  private StateKeeper(InMemoryStore store, Path directory, Duration interval, FileChannel lock) {
    this.store = store;
    this.file = directory.resolve(FILE);
    this.intervalNanos = interval.toNanos();
    this.lock = lock;
  }

  /**
   * Restores what the directory holds, and begins to save.
   *
   * @param directory created if it does not exist; of this server alone
   * @throws IllegalStateException if the directory cannot be used, or another server uses it
   */
  static StateKeeper start(InMemoryStore store, Path directory, Duration interval) {
    try {
      Files.createDirectories(directory);
      FileChannel lock = locked(directory.resolve("lock"));
      StateKeeper keeper = new StateKeeper(store, directory, interval, lock);
      keeper.restore();
      keeper.schedule(keeper.intervalNanos);
      return keeper;
    } catch (IOException e) {
      throw new IllegalStateException(
          "state directory " + directory + " must be writable: " + e, e);
    }
  }

  private static FileChannel locked(Path path) throws IOException {
    FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (lock(channel) == null) {
      channel.close();
      throw new IllegalStateException(
          "state directory " + path.getParent() + " must not be used by another server, but is");
    }
    return channel;
  }

  private static @Nullable FileLock lock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // held in this process
    }
  }

  /** A file that cannot be used is kept under another name: it may be all there is. */
  private void restore() throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    try {
      long keys = store.restore(file);
      LOG.info("Counts of {} restored from {}", keys == 1 ? "1 key" : keys + " keys", file);
    } catch (IOException e) {
      Path kept = file.resolveSibling(FILE + ".refused");
      Files.move(file, kept, StandardCopyOption.REPLACE_EXISTING);
      LOG.error("{}. It is kept as {}, and all counts start at zero", e.getMessage(), kept);
    }
  }

  private void schedule(long delayNanos) {
    var unused = thread.schedule(this::saveAndGoOn, delayNanos, TimeUnit.NANOSECONDS);
  }

  private void saveAndGoOn() {
    long begin = System.nanoTime();
    save();
    long took = System.nanoTime() - begin;
    schedule(Math.max(intervalNanos, took * PAUSES_PER_SAVE));
  }

  /** Says once that it fails, and once that it does not any more. */
  private synchronized void save() {
    try {
      store.save(file);
      if (failing) {
        failing = false;
        LOG.info("Counts are saved to {} again", file);
      }
    } catch (IOException | RuntimeException e) {
      if (!failing) {
        failing = true;
        LOG.error("Counts cannot be saved to {}, retrying: {}", file, e.toString());
      }
    }
  }

  /** Saves for the last time. */
  @Override
  public void close() {
    thread.shutdownNow();
    save();
    try {
      lock.close();
    } catch (IOException e) {
      LOG.debug("The lock of {} was not released", file, e);
    }
  }
}
