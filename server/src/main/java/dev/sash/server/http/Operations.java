package dev.sash.server.http;

import dev.sash.server.override.OverrideKeeper;
import dev.sash.server.statistics.Fleet;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What the HTTP edge has to know of the server that it belongs to. Thread-safe. */
public interface Operations {
  /**
   * What became of the configuration's files.
   *
   * @param source where the configuration comes from: a path, or {@code default}
   * @param since when the configuration in force took effect
   * @param refusal what is wrong with the newest content, which is not in force; null if it is
   */
  record ConfigurationStatus(String source, Instant since, @Nullable String refusal) {}

  /**
   * Whether requests should be sent here.
   *
   * @return false once the server begins to stop
   */
  boolean isReady();

  /**
   * What became of the configuration's files.
   *
   * @return as of now
   */
  ConfigurationStatus configuration();

  /**
   * Reads the configuration again. May take a while: not to be called on an event loop.
   *
   * @throws dev.sash.config.ConfigurationException if it cannot be used; the old one stays
   */
  void reload();

  /**
   * Returns the statistics of all servers that share the store.
   *
   * @return null if this server shares its store with no other, or has no statistics
   */
  @Nullable Fleet fleet();

  /**
   * Returns the overrides of the engine.
   *
   * @return the same at every call
   */
  OverrideKeeper overrides();

  /**
   * The meters, for Prometheus. May take a while: not to be called on an event loop.
   *
   * @return in its text format
   */
  String metrics();
}
