package dev.sash.config.policy;

import dev.sash.address.AddressRanges;
import dev.sash.address.IpAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keys and networks whose requests are decided without counting. Immutable.
 *
 * @param keys keys, such as {@code user:42}
 * @param networks networks, such as {@code 10.0.0.0/8}
 */
public record AccessList(Set<String> keys, AddressRanges networks) {
  /** An empty list. */
  public static final AccessList NOBODY = new AccessList(Set.of(), AddressRanges.NONE);

  /** Copies the keys. */
  public AccessList {
    keys = Set.copyOf(keys);
  }

  /**
   * Returns whether a client is listed.
   *
   * @param key the key
   * @param address the client's address; null if it is not known
   * @return true if the key or the address is listed
   */
  public boolean contains(String key, @Nullable IpAddress address) {
    return keys.contains(key) || networks.contains(address);
  }
}
