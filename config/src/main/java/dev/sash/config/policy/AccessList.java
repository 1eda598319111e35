package dev.sash.config.policy;

import dev.sash.address.AddressRanges;
import dev.sash.address.IpAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Those about whom is decided without counting: keys, and networks. Immutable.
 *
 * @param keys keys, such as {@code user:42}
 * @param networks networks, such as {@code 10.0.0.0/8}
 */
public record AccessList(Set<String> keys, AddressRanges networks) {
  /** Nobody. */
  public static final AccessList NOBODY = new AccessList(Set.of(), AddressRanges.NONE);

  /** Copies the keys. */
  public AccessList {
    keys = Set.copyOf(keys);
  }

  /**
   * Whether somebody is listed.
   *
   * @param key the key
   * @param address where the request comes from; null if nobody knows
   * @return true if the key or the address is
   */
  public boolean contains(String key, @Nullable IpAddress address) {
    return keys.contains(key) || networks.contains(address);
  }
}
