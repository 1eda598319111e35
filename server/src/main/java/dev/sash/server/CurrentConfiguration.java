package dev.sash.server;

import dev.sash.config.Configuration;
import dev.sash.config.ConfigurationException;
import dev.sash.config.ConfigurationWatcher;
import dev.sash.server.engine.Engine;
import dev.sash.server.http.Operations.ConfigurationStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration's files, and the engine that follows them: a valid file takes effect at once,
 * an invalid one is refused and reported in the log, in a metric and by the API. Thread-safe.
 */
final class CurrentConfiguration implements ConfigurationWatcher.Listener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CurrentConfiguration.class);

  private final @Nullable ConfigurationWatcher watcher;
  private volatile ConfigurationStatus status;
  private volatile @Nullable Following following;

  /** Who follows, and what counts it. */
  private record Following(Engine engine, Counter applied, Counter refused) {}

  /**
   * Reads the files.
   *
   * @param path where they are; null for the default
   * @throws ConfigurationException if they cannot be used
   */
  CurrentConfiguration(@Nullable Path path) {
    this.status =
        new ConfigurationStatus(path == null ? "default" : path.toString(), Instant.now(), null);
    this.watcher = path == null ? null : ConfigurationWatcher.watch(path, this);
  }

  /** What is in force now. */
  Configuration get() {
    return watcher == null ? withoutFile() : watcher.current();
  }

  /** The default policy, and ad-hoc limits, so that everything can be tried without a file. */
  private static Configuration withoutFile() {
    return Configuration.byDefault().withAdHocLimits(true);
  }

  ConfigurationStatus status() {
    return status;
  }

  /** From now on the engine has what is in force. */
  void follow(Engine engine, MeterRegistry registry) {
    Gauge.builder("sash.server.config.current", this, it -> it.status.refusal() == null ? 1 : 0)
        .description("1 if the newest configuration is in force, 0 if it was refused")
        .register(registry);
    following = new Following(engine, reloads(registry, "applied"), reloads(registry, "refused"));
    engine.apply(get()); // what may have come meanwhile
  }

  private static Counter reloads(MeterRegistry registry, String outcome) {
    return Counter.builder("sash.server.config.reloads")
        .description("Changes of the configuration, by what became of them")
        .tag("outcome", outcome)
        .register(registry);
  }

  /** Reads the files again, now. */
  @SuppressWarnings("ReferenceEquality") // the watcher returns the same one if nothing changed
  void reload() {
    Configuration before = get();
    if (watcher == null) {
      LOG.info("configuration is the default one, there is no file to read");
    } else if (watcher.reload() == before) {
      LOG.info("configuration unchanged: {}", counted(before));
    }
  }

  private static String counted(Configuration configuration) {
    int policies = configuration.policies().size();
    return policies == 1 ? "1 policy" : policies + " policies";
  }

  @Override
  public void changed(Configuration configuration) {
    Following follower = following;
    if (follower != null) {
      follower.engine.apply(configuration);
      follower.applied.increment();
    }
    status = new ConfigurationStatus(status.source(), Instant.now(), null);
    LOG.info("configuration applied: {}", counted(configuration));
  }

  @Override
  public void refused(ConfigurationException refusal) {
    Following follower = following;
    if (follower != null) {
      follower.refused.increment();
    }
    String message = String.valueOf(refusal.getMessage());
    status = new ConfigurationStatus(status.source(), status.since(), message);
    LOG.error("configuration refused, the former one stays in force:\n{}", message);
  }

  @Override
  public void close() {
    if (watcher != null) {
      watcher.close();
    }
  }
}
