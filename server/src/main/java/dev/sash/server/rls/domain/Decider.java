package dev.sash.server.rls.domain;

import dev.sash.config.Configuration;
import dev.sash.server.engine.Engine;
import dev.sash.server.rls.counter.TimeLimit;
import dev.sash.server.rls.wire.RlsRequest;
import dev.sash.server.rls.wire.RlsRequest.Descriptor;
import dev.sash.server.rls.wire.RlsResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Decides requests of Envoy's protocol.
 *
 * <p>The descriptors of a request are charged all or none, unless it is configured that each is
 * charged for itself, or always. Hits to be given back are given back last, when the others have
 * admitted the request. Thread-safe.
 */
public final class Decider {
  private final Engine engine;
  private final Duration deadline;
  private final DescriptorMeters meters;
  private volatile Domains prepared;

  /**
   * Creates a decider.
   *
   * @param engine decides by policies, and has the store
   * @param deadline within which a remote store must have answered for limits of Envoy's form
   * @param meters count hits
   */
  public Decider(Engine engine, Duration deadline, DescriptorMeters meters) {
    this.engine = engine;
    this.deadline = deadline;
    this.meters = meters;
    this.prepared = new Domains(engine.configuration(), engine, deadline, meters);
  }

  /** Charges the descriptors, and says what became of them. */
  public CompletionStage<RlsResponse> decide(RlsRequest request, TimeLimit time) {
    Domains domains = domains();
    List<Match> matches = matches(domains.find(request.domain()), request.descriptors(), time);
    return new RequestCharges(request, matches, domains.config()).run();
  }

  private Domains domains() {
    Domains domains = prepared;
    Configuration inForce = engine.configuration();
    if (!domains.isOf(inForce)) {
      domains = new Domains(inForce, engine, deadline, meters);
      prepared = domains;
    }
    return domains;
  }

  private static List<Match> matches(Domain domain, List<Descriptor> descriptors, TimeLimit time) {
    List<Match> matches = new ArrayList<>(descriptors.size());
    Set<String> replaced = new HashSet<>();
    for (Descriptor descriptor : descriptors) {
      Match match = domain.match(descriptor, time);
      matches.add(match);
      replaced.addAll(match.terms().replaces());
    }
    if (!replaced.isEmpty()) {
      matches.replaceAll(match -> isReplaced(match, replaced) ? Match.NONE : match);
    }
    return matches;
  }

  private static boolean isReplaced(Match match, Set<String> replaced) {
    String name = match.terms().name();
    return match.counter() != null && name != null && replaced.contains(name);
  }
}
