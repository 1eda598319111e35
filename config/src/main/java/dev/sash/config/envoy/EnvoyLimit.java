package dev.sash.config.envoy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The {@code rate_limit} of an {@linkplain EnvoyDescriptor Envoy descriptor}. Immutable.
 *
 * @param requestsPerUnit how many requests in a unit; 0 denies all; meaningless if unlimited
 * @param unit the unit; null only if unlimited
 * @param unlimited whether everything is admitted, and nothing counted
 * @param name by which others can replace it; null if it has none
 * @param replaces the names of limits that do not hold where this one does
 */
public record EnvoyLimit(
    long requestsPerUnit,
    @Nullable EnvoyUnit unit,
    boolean unlimited,
    @Nullable String name,
    List<String> replaces) {
  /** Copies the names. */
  public EnvoyLimit {
    replaces = List.copyOf(replaces);
  }
}
