package dev.sash.config.envoy;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An entry of an {@linkplain EnvoyDomain Envoy domain}, as its file has it: a key, perhaps a value,
 * perhaps a limit, and entries below it. Immutable.
 *
 * @param key the entry's key
 * @param value the value that it matches; each {@code *} in it matches any characters, or none;
 *     null matches any value. Each value that a request has is counted for itself, unless {@link
 *     EnvoyOption#SHARE_THRESHOLD} is set
 * @param limit what is allowed where this is the last entry that matches; null if nothing is said
 * @param options what is switched on
 * @param metadata returned to Envoy if the descriptor is not over its limit; values are texts,
 *     doubles, booleans, nulls, lists and maps of them
 * @param descriptors the entries below
 */
public record EnvoyDescriptor(
    String key,
    @Nullable String value,
    @Nullable EnvoyLimit limit,
    Set<EnvoyOption> options,
    Map<String, @Nullable Object> metadata,
    List<EnvoyDescriptor> descriptors) {
  /** Copies the collections. */
  public EnvoyDescriptor {
    options = Set.copyOf(options);
    metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    descriptors = List.copyOf(descriptors);
  }

  /**
   * Returns whether an option is switched on.
   *
   * @param option the option
   * @return true if it is
   */
  public boolean has(EnvoyOption option) {
    return options.contains(option);
  }
}
