package dev.sash.server.rls.domain;

import com.google.protobuf.Struct;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a limit means for the other descriptors of a request. Immutable.
 *
 * @param shadow whether it never denies
 * @param quota whether it denies only together with all others of this kind
 * @param always whether hits are recorded even if they exceed what is left
 * @param name by which others can replace it; null if it has none
 * @param replaces the names of limits that do not hold in the same request
 * @param metadata returned to Envoy if the descriptor is not over its limit
 */
record Terms(
    boolean shadow,
    boolean quota,
    boolean always,
    @Nullable String name,
    List<String> replaces,
    Struct metadata) {
  /** Denies, and is charged for what fits. */
  static final Terms PLAIN = of(false, false);

  static Terms of(boolean shadow, boolean always) {
    return new Terms(shadow, false, always, null, List.of(), Struct.getDefaultInstance());
  }
}
