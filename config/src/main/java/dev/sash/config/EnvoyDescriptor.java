package dev.sash.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of an {@linkplain EnvoyDomain Envoy domain}, as its file has it: a key, perhaps a value,
 * perhaps a limit, and entries below it. Immutable.
 *
 * @param key the entry's key
 * @param value the value that it matches; ends in {@code *} to match what begins so; null matches
 *     any value, each with counts of its own
 * @param limit what is allowed where this is the last entry that matches; null if nothing is said
 * @param shadowMode whether the limit only counts
 * @param detailedMetric whether the value is to be told in metrics; Sash never does, and warns
 * @param descriptors the entries below
 */
public record EnvoyDescriptor(
    String key,
    @Nullable String value,
    @Nullable EnvoyLimit limit,
    boolean shadowMode,
    boolean detailedMetric,
    List<EnvoyDescriptor> descriptors) {
  /** Copies the entries. */
  public EnvoyDescriptor {
    descriptors = List.copyOf(descriptors);
  }
}
