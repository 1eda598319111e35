package dev.sash.server.rls;

import dev.sash.AllOrNothing;
import dev.sash.Decision;
import dev.sash.config.Configuration;
import dev.sash.config.RlsCharging;
import dev.sash.server.engine.Engine;
import dev.sash.server.rls.RlsRequest.Descriptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Decides requests of Envoy's protocol.
 *
 * <p>The descriptors of a request are charged all or none, unless it is configured that each is
 * charged for itself. Hits to be given back are given back last, when the others have admitted the
 * request. Thread-safe.
 */
final class Decider {
  private final Engine engine;
  private final Duration deadline;
  private volatile Domains prepared;

  Decider(Engine engine, Duration deadline) {
    this.engine = engine;
    this.deadline = deadline;
    this.prepared = new Domains(engine.configuration(), engine, deadline);
  }

  /** The method {@code ShouldRateLimit}. */
  CompletionStage<byte[]> shouldRateLimit(byte[] message) {
    return decide(RlsRequest.parse(message)).thenApply(RlsStatus::response);
  }

  /** A status for each descriptor, in order. */
  CompletionStage<List<RlsStatus>> decide(RlsRequest request) {
    Domains domains = domains();
    List<Match> matches = matches(domains.find(request.domain()), request.descriptors());
    RlsStatus[] statuses = new RlsStatus[matches.size()];
    List<DescriptorCharge> charges = new ArrayList<>();
    List<DescriptorCharge> refunds = new ArrayList<>();
    for (int i = 0; i < statuses.length; i++) {
      Match match = matches.get(i);
      if (match.counter() == null) {
        statuses[i] = match.uncounted();
        continue;
      }
      Descriptor descriptor = request.descriptors().get(i);
      long hits = hits(descriptor, request.hitsAddend());
      boolean refund = descriptor.negativeHits();
      (refund ? refunds : charges)
          .add(new DescriptorCharge(i, match.counter(), hits, match.binding() && !refund));
    }
    boolean each = domains.charging() == RlsCharging.EACH;
    // Of one descriptor all is the same as each, and that is what most requests have.
    return (each || charges.size() <= 1 ? chargeEach(charges) : AllOrNothing.tryAcquire(charges))
        .thenCompose(
            decisions -> {
              boolean admitted = put(charges, decisions, statuses);
              return refund(refunds, each || admitted, statuses);
            })
        .thenApply(done -> Arrays.asList(statuses));
  }

  private Domains domains() {
    Domains domains = prepared;
    Configuration inForce = engine.configuration();
    if (!domains.isOf(inForce)) {
      domains = new Domains(inForce, engine, deadline);
      prepared = domains;
    }
    return domains;
  }

  private static List<Match> matches(Domain domain, List<Descriptor> descriptors) {
    List<Match> matches = new ArrayList<>(descriptors.size());
    Set<String> replaced = new HashSet<>();
    for (Descriptor descriptor : descriptors) {
      Match match = domain.match(descriptor);
      matches.add(match);
      replaced.addAll(match.replaces());
    }
    if (!replaced.isEmpty()) {
      matches.replaceAll(
          match ->
              match.counter() != null && match.name() != null && replaced.contains(match.name())
                  ? Match.NONE
                  : match);
    }
    return matches;
  }

  /** The descriptor's own, of which 0 only looks; or else the request's, of which 0 is 1. */
  private static long hits(Descriptor descriptor, long ofRequest) {
    Long own = descriptor.hitsAddend();
    if (own == null) {
      return Math.min(DomainLimits.MOST, Math.max(1, ofRequest));
    }
    return own < 0 ? DomainLimits.MOST : Math.min(DomainLimits.MOST, own);
  }

  private static CompletableFuture<List<Decision>> chargeEach(List<DescriptorCharge> charges) {
    return all(charges.stream().map(c -> c.tryAcquire(c.permits()).toCompletableFuture()).toList());
  }

  /** Whether what is binding admits the request. */
  private static boolean put(
      List<DescriptorCharge> charges, List<Decision> decisions, RlsStatus[] statuses) {
    boolean admitted = true;
    for (int i = 0; i < charges.size(); i++) {
      RlsStatus status = charges.get(i).status(decisions.get(i));
      statuses[charges.get(i).place()] = status;
      admitted &= !status.overLimit();
    }
    return admitted;
  }

  private static CompletableFuture<Boolean> refund(
      List<DescriptorCharge> refunds, boolean admitted, RlsStatus[] statuses) {
    return all(refunds.stream()
            .map(
                c ->
                    (admitted ? c.counter().refund(c.permits(), null) : c.counter().ask(0))
                        .toCompletableFuture())
            .toList())
        .thenApply(states -> put(refunds, states, statuses));
  }

  private static CompletableFuture<List<Decision>> all(List<CompletableFuture<Decision>> futures) {
    if (futures.size() == 1) {
      return futures.get(0).thenApply(List::of);
    }
    return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
  }
}
