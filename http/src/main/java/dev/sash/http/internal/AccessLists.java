package dev.sash.http.internal;

import dev.sash.address.AddressRanges;
import dev.sash.address.IpAddress;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Who and what is denied, or never limited, whatever the rules are. Immutable. */
public final class AccessLists {
  private final List<PathPattern> exemptPaths;
  private final AddressRanges exemptAddresses;
  private final AddressRanges deniedAddresses;
  private final Set<String> exemptKeys;
  private final Set<String> deniedKeys;

  /**
   * Creates lists.
   *
   * @param exemptPaths patterns of paths that are not limited
   * @param exemptAddresses addresses and networks of clients that are not limited
   * @param deniedAddresses those of clients that are denied
   * @param exemptKeys keys that are not limited
   * @param deniedKeys keys that are denied
   */
  public AccessLists(
      Collection<String> exemptPaths,
      Collection<String> exemptAddresses,
      Collection<String> deniedAddresses,
      Set<String> exemptKeys,
      Set<String> deniedKeys) {
    this.exemptPaths = exemptPaths.stream().map(PathPattern::parse).toList();
    this.exemptAddresses = AddressRanges.of(exemptAddresses);
    this.deniedAddresses = AddressRanges.of(deniedAddresses);
    this.exemptKeys = Set.copyOf(exemptKeys);
    this.deniedKeys = Set.copyOf(deniedKeys);
  }

  /**
   * Returns whether a path is not limited.
   *
   * @param path the path
   * @return true if it is exempt
   */
  public boolean exempt(RequestPath path) {
    return !path.ambiguous() && PathPattern.oneMatches(exemptPaths, path);
  }

  /**
   * Returns whether a client is not limited.
   *
   * @param client returns the address; not called without such a list, which is usual
   * @return true if it is exempt
   */
  public boolean exempt(Supplier<? extends @Nullable IpAddress> client) {
    return !exemptAddresses.isEmpty() && exemptAddresses.contains(client.get());
  }

  /**
   * Returns whether a client is denied.
   *
   * @param client returns the address; not called without such a list, which is usual
   * @return true if it is denied
   */
  public boolean deny(Supplier<? extends @Nullable IpAddress> client) {
    return !deniedAddresses.isEmpty() && deniedAddresses.contains(client.get());
  }

  /**
   * Returns whether one of several keys is not limited.
   *
   * @param charges what would be charged
   * @return true if it is exempt
   */
  public boolean exempt(List<? extends WaitingCharge> charges) {
    return containKeyOf(exemptKeys, charges);
  }

  /**
   * Returns whether one of several keys is denied.
   *
   * @param charges what would be charged
   * @return true if it is denied
   */
  public boolean deny(List<? extends WaitingCharge> charges) {
    return containKeyOf(deniedKeys, charges);
  }

  private static boolean containKeyOf(Set<String> keys, List<? extends WaitingCharge> charges) {
    return !keys.isEmpty()
        && charges.stream().anyMatch(charge -> keys.contains(charge.target().key()));
  }
}
