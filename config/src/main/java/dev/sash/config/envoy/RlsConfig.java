package dev.sash.config.envoy;

import dev.sash.Algorithm;
import java.util.Set;

/**
 * How the service for Envoy decides. Immutable.
 *
 * @param charging what is charged for a request with several descriptors
 * @param algorithm how limits of Envoy's form are counted
 * @param refunds whether requests may give back hits
 * @param chargeAlways the names of limits of Envoy's form whose hits are recorded even if they
 *     exceed what is left
 */
public record RlsConfig(
    RlsCharging charging, Algorithm algorithm, boolean refunds, Set<String> chargeAlways) {
  /** What holds unless a file says otherwise. */
  public static final RlsConfig DEFAULT =
      new RlsConfig(RlsCharging.ALL_OR_NOTHING, Algorithm.SLIDING_LOG, false, Set.of());

  /** Copies the names. */
  public RlsConfig {
    chargeAlways = Set.copyOf(chargeAlways);
  }
}
