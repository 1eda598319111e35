package dev.sash.config.envoy;

import java.util.List;

/**
 * A file of envoyproxy/ratelimit. Immutable.
 *
 * @param name the domain
 * @param descriptors its entries
 */
public record EnvoyDomain(String name, List<EnvoyDescriptor> descriptors) {
  /** Copies the entries. */
  public EnvoyDomain {
    descriptors = List.copyOf(descriptors);
  }
}
