package dev.sash.server.override;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All overrides, and the latest actions of operators: what is stored, and replaced, as a whole.
 * Immutable and bounded.
 */
final class OverrideState {
  /** The most overrides. */
  static final int MAX_OVERRIDES = 10_000;

  /** The most bytes that overrides take in memory, about. */
  static final int MAX_BYTES = 4 << 20;

  /** The most actions; older ones are forgotten. */
  static final int MAX_AUDIT = 1_000;

  private static final int MAX_AUDIT_BYTES = 1 << 20;

  /** Nothing. */
  static final OverrideState EMPTY = new OverrideState(List.of(), List.of());

  private final Map<Target, KeyOverride> overrides;
  private final List<AuditEntry> audit;

  /**
   * Creates a state.
   *
   * @param overrides with distinct targets
   * @param audit the oldest action first; more than fit are left out, from the oldest on
   * @throws IllegalArgumentException if there are too many overrides, or two with the same target
   */
  OverrideState(Collection<KeyOverride> overrides, List<AuditEntry> audit) {
    Map<Target, KeyOverride> byTarget = new TreeMap<>();
    long bytes = 0;
    for (KeyOverride override : overrides) {
      bytes += override.weight();
      if (byTarget.put(override.target(), override) != null) {
        throw new IllegalArgumentException("overrides must have distinct keys and prefixes");
      }
    }
    if (byTarget.size() > MAX_OVERRIDES) {
      throw new IllegalArgumentException(
          "overrides must be at most " + MAX_OVERRIDES + ", were " + byTarget.size());
    }
    if (bytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "overrides must take at most " + MAX_BYTES + " bytes, took " + bytes);
    }
    this.overrides = Collections.unmodifiableMap(byTarget);
    this.audit = List.copyOf(audit.subList(firstKept(audit), audit.size()));
  }

  private static int firstKept(List<AuditEntry> audit) {
    int first = audit.size();
    long bytes = 0;
    while (first > 0 && audit.size() - first < MAX_AUDIT) {
      bytes += audit.get(first - 1).weight();
      if (bytes > MAX_AUDIT_BYTES) {
        break;
      }
      first--;
    }
    return first;
  }

  /** Returns the overrides, expired ones included, by policy and key. */
  Collection<KeyOverride> overrides() {
    return overrides.values();
  }

  /** Returns the override of exactly these keys, expired or not; null if there is none. */
  @Nullable KeyOverride get(Target target) {
    return overrides.get(target);
  }

  /** Returns the latest actions, the oldest first. */
  List<AuditEntry> audit() {
    return audit;
  }

  /** Returns this with an override, and without those that have expired. */
  OverrideState with(KeyOverride override, AuditEntry action) {
    Map<Target, KeyOverride> changed = inForce(action.at());
    changed.put(override.target(), override);
    return new OverrideState(changed.values(), audited(action));
  }

  /** Returns this without the override of exactly these keys, and those that have expired. */
  OverrideState without(Target target, AuditEntry action) {
    Map<Target, KeyOverride> changed = inForce(action.at());
    changed.remove(target);
    return new OverrideState(changed.values(), audited(action));
  }

  private Map<Target, KeyOverride> inForce(Instant now) {
    Map<Target, KeyOverride> changed = new TreeMap<>(overrides);
    changed.values().removeIf(override -> !override.isInForce(now.toEpochMilli()));
    return changed;
  }

  private List<AuditEntry> audited(AuditEntry action) {
    List<AuditEntry> actions = new ArrayList<>(audit);
    actions.add(action);
    return actions;
  }
}
