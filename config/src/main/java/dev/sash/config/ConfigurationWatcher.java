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
 * Reads a file or a directory again when what stands there changes. A good file takes effect within
 * about a second; a bad one is refused and the last good one stays. Thread-safe.
 *
 * <pre>{@code
 * try (var watcher = ConfigurationWatcher.watch(path, listener)) {
 *   use(watcher.current());
 * }
 * }</pre>
 *
 * <p>It reads and compares, twice a second. The operating system could tell of changes, but not
 * reliably of all the ways in which files are replaced: by writing, by renaming, by another target
 * of a symbolic link somewhere on the path as Kubernetes does, on network file systems, from
 * outside a container. What has changed is used once it has been the same twice, so that half a
 * file is not taken for a whole one.
 */
public final class ConfigurationWatcher implements AutoCloseable {
  /**
   * Is told what becomes of changes, one at a time, and never twice in succession of the same
   * content. What it throws is logged.
   */
  public interface Listener {
    /**
     * There is a new configuration.
     *
     * @param configuration what {@link ConfigurationWatcher#current} now is
     */
    void changed(Configuration configuration);

    /**
     * There is a new content that cannot be used: the configuration stays as it was.
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
   * @param listener is told of changes from now on, on a thread of the watcher or that of {@link
   *     #reload}
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
   * Reads now, without waiting whether the content stays: for a signal or a command. The listener
   * is told as for any other change.
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
