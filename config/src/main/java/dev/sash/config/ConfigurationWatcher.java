package dev.sash.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a file or a directory again when its content changes. A valid file takes effect within
 * about a second; an invalid one is refused and the last valid one stays. Thread-safe.
 *
 * <pre>{@code
 * try (var watcher = ConfigurationWatcher.watch(path, listener)) {
 *   use(watcher.current());
 * }
 * }</pre>
 *
 * <p>It reads and compares twice a second. The operating system can notify about changes, but not
 * reliably for all the ways in which files are replaced: by writing, by renaming, by another target
 * of a symbolic link somewhere on the path as Kubernetes does, on network file systems, from
 * outside a container. Changed content is used once two readings in a row are equal, so that a
 * partly written file is not used.
 */
public final class ConfigurationWatcher implements AutoCloseable {
  /**
   * Called for each change, one at a time, and never twice in succession for the same content.
   * Exceptions that it throws are logged.
   */
  public interface Listener {
    /**
     * Called when a new configuration takes effect.
     *
     * @param configuration what {@link ConfigurationWatcher#current} now is
     */
    void changed(Configuration configuration);

    /**
     * Called when new content cannot be used: the configuration stays as it was.
     *
     * @param exception what is wrong
     */
    void refused(ConfigurationException exception);
  }

  private static final Logger LOG = LoggerFactory.getLogger(ConfigurationWatcher.class);
  private static final Duration INTERVAL = Duration.ofMillis(500);

  private final Path path;
  private final Listener listener;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread created = new Thread(task, "sash-config");
            created.setDaemon(true);
            return created;
          });

  private Sources used;
  private Sources lastSeen;
  private volatile Configuration current;
  private @Nullable ConfigurationException refusal;
  private boolean closed;

  private ConfigurationWatcher(Path path, Listener listener) {
    this.path = path;
    this.listener = listener;
    used = Sources.read(path);
    lastSeen = used;
    current = Draft.read(used);
  }

  /**
   * Reads, and begins to watch.
   *
   * @param path a file or a directory, as in {@link Configuration#load}
   * @param listener called for later changes, on a thread of the watcher or that of {@link #reload}
   * @return the watcher, to be closed
   * @throws ConfigurationException if what stands there now cannot be used
   */
  public static ConfigurationWatcher watch(Path path, Listener listener) {
    return watch(path, listener, INTERVAL);
  }

  static ConfigurationWatcher watch(Path path, Listener listener, Duration interval) {
    ConfigurationWatcher watcher = new ConfigurationWatcher(path, listener);
    long nanos = interval.toNanos();
    // poll() logs whatever it would throw, so that nothing waits in the future to be seen.
    Future<?> unused =
        watcher.thread.scheduleWithFixedDelay(watcher::poll, nanos, nanos, TimeUnit.NANOSECONDS);
    return watcher;
  }

  /**
   * The last good configuration.
   *
   * @return what holds
   */
  public Configuration current() {
    return current;
  }

  /**
   * Reads at once, without waiting for a second equal reading: for a signal or a command. The
   * listener is called as for any other change.
   *
   * @return the configuration that now holds, which is the same as before if nothing has changed
   * @throws ConfigurationException if what stands there cannot be used, also if that was said
   *     before
   * @throws IllegalStateException if the watcher is closed
   */
  public synchronized Configuration reload() {
    if (closed) {
      throw new IllegalStateException("watcher is closed");
    }
    use(Sources.read(path));
    if (refusal != null) {
      throw refusal;
    }
    return current;
  }

  /** Looks once, as it happens at every interval. */
  synchronized void poll() {
    if (closed) {
      return;
    }
    try {
      Sources seen = Sources.read(path);
      if (seen.equals(lastSeen)) {
        use(seen);
      }
      lastSeen = seen;
    } catch (RuntimeException e) {
      // Thrown on, it would end the watching.
      LOG.error("cannot look for changes of {}", path, e);
    }
  }

  private void use(Sources sources) {
    if (sources.equals(used)) {
      return;
    }
    used = sources;
    lastSeen = sources;
    try {
      current = Draft.read(sources);
      refusal = null;
    } catch (ConfigurationException e) {
      refusal = e;
    }
    tell();
  }

  private void tell() {
    try {
      if (refusal == null) {
        listener.changed(current);
      } else {
        listener.refused(refusal);
      }
    } catch (RuntimeException e) {
      LOG.error("a listener failed to take a change of {}", path, e);
    }
  }

  /** Ends the watching: when this returns, the listener is no longer called. */
  @Override
  public synchronized void close() {
    closed = true;
    thread.shutdownNow();
  }
}
