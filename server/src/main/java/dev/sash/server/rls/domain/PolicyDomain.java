package dev.sash.server.rls.domain;

import dev.sash.config.policy.ChargeRule;
import dev.sash.config.policy.Mode;
import dev.sash.config.policy.PolicyConfig;
import dev.sash.key.Keys;
import dev.sash.server.engine.Attributes;
import dev.sash.server.engine.Engine;
import dev.sash.server.rls.counter.Counter;
import dev.sash.server.rls.counter.DomainLimits;
import dev.sash.server.rls.counter.PolicyCounter;
import dev.sash.server.rls.counter.TimeLimit;
import dev.sash.server.rls.wire.InvalidRequestException;
import dev.sash.server.rls.wire.RlsRequest.Descriptor;
import dev.sash.server.rls.wire.RlsRequest.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A policy under its name: the entries of a descriptor are the attributes of a request.
 *
 * <p>An entry {@code key} is the key. Otherwise the key is made of the policy's key attributes or,
 * if it has none, of all entries in order, except for the one with the tier: a client that moves to
 * another tier keeps what is spent.
 */
final class PolicyDomain implements Domain {
  private static final String KEY = "key";

  /** What Envoy's action of that name calls the address. */
  private static final String REMOTE_ADDRESS = "remote_address";

  private final PolicyConfig policy;
  private final Engine engine;
  private final @Nullable DomainLimits overrides;
  private final Terms terms;

  /**
   * A policy.
   *
   * @param policy the policy
   * @param engine decides by it
   * @param overrides for requests that bring limits of their own; null if these do not hold
   */
  PolicyDomain(PolicyConfig policy, Engine engine, @Nullable DomainLimits overrides) {
    this.policy = policy;
    this.engine = engine;
    this.overrides = overrides;
    this.terms = Terms.of(policy.mode() == Mode.SHADOW, policy.charge() == ChargeRule.ALWAYS);
  }

  @Override
  public Match match(Descriptor descriptor, TimeLimit time) {
    if (descriptor.limit() != null && overrides != null) {
      Counter counter = overrides.override(descriptor.limit()).counter(descriptor.entries(), time);
      return Match.counted(counter, Terms.PLAIN);
    }
    Map<String, String> attributes = new HashMap<>();
    for (Entry entry : descriptor.entries()) {
      attributes.putIfAbsent(entry.key(), entry.value());
    }
    String address = attributes.get(REMOTE_ADDRESS);
    if (address != null) {
      attributes.putIfAbsent(Attributes.IP, address);
    }
    String key = key(descriptor.entries(), attributes.get(KEY));
    Counter counter = new PolicyCounter(engine, time, policy.name(), key, attributes);
    return Match.counted(counter, terms);
  }

  private @Nullable String key(List<Entry> entries, @Nullable String told) {
    if (told != null) {
      return Keys.joined(List.of(told));
    }
    if (!policy.keyAttributes().isEmpty()) {
      return null;
    }
    List<String> parts = new ArrayList<>();
    for (Entry entry : entries) {
      if (policy.tiers().isEmpty() || !entry.key().equals(policy.tierAttribute())) {
        parts.add(Keys.escapedName(entry.key()) + ":" + entry.value());
      }
    }
    if (parts.isEmpty()) {
      throw new InvalidRequestException(
          "a descriptor must have an entry beside '" + policy.tierAttribute() + "'");
    }
    return Keys.joined(parts);
  }
}
