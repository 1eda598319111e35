package dev.sash.server.rls.domain;

import com.google.protobuf.Struct;
import dev.sash.AllOrNothing;
import dev.sash.Decision;
import dev.sash.config.envoy.RlsCharging;
import dev.sash.config.envoy.RlsConfig;
import dev.sash.server.rls.counter.Counter;
import dev.sash.server.rls.counter.DomainLimits;
import dev.sash.server.rls.wire.RlsRequest;
import dev.sash.server.rls.wire.RlsRequest.Descriptor;
import dev.sash.server.rls.wire.RlsResponse;
import dev.sash.server.rls.wire.RlsStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The charges of one request, in three steps: what is recorded whatever happens, what is charged if
 * it fits, and what is given back if the request is admitted. Used once.
 */
final class RequestCharges {
  private final RlsRequest request;
  private final List<Match> matches;
  private final boolean each;
  private final RlsStatus[] statuses;
  private final List<DescriptorCharge> recorded = new ArrayList<>();
  private final List<DescriptorCharge> fitting = new ArrayList<>();
  private final List<DescriptorCharge> refunds = new ArrayList<>();

  /**
   * The charges of a request.
   *
   * @param matches what holds for each descriptor
   */
  RequestCharges(RlsRequest request, List<Match> matches, RlsConfig config) {
    this.request = request;
    this.matches = matches;
    this.each = config.charging() != RlsCharging.ALL_OR_NOTHING;
    this.statuses = new RlsStatus[matches.size()];
    for (int i = 0; i < statuses.length; i++) {
      Match match = matches.get(i);
      if (match.counter() == null) {
        statuses[i] = match.uncounted();
      } else {
        add(i, match, match.counter(), config.refunds());
      }
    }
  }

  private void add(int place, Match match, Counter counter, boolean mayRefund) {
    Descriptor descriptor = request.descriptors().get(place);
    long hits = hits(descriptor, request.hitsAddend());
    if (!descriptor.negativeHits()) {
      (match.terms().always() ? recorded : fitting)
          .add(new DescriptorCharge(place, counter, hits, match));
    } else if (mayRefund) {
      Match never = Match.counted(counter, Terms.of(true, false));
      refunds.add(new DescriptorCharge(place, counter, hits, never));
    } else {
      fitting.add(new DescriptorCharge(place, counter, 0, match));
    }
  }

  /** The descriptor's own, of which 0 only looks; or else the request's, of which 0 is 1. */
  private static long hits(Descriptor descriptor, long ofRequest) {
    Long own = descriptor.hitsAddend();
    if (own == null) {
      return Math.min(DomainLimits.MOST, Math.max(1, ofRequest));
    }
    return own < 0 ? DomainLimits.MOST : Math.min(DomainLimits.MOST, own);
  }

  CompletableFuture<RlsResponse> run() {
    if (recorded.isEmpty() && refunds.isEmpty()) {
      return chargeFitting().thenApply(charged -> response());
    }
    return recordAll()
        .thenCompose(done -> chargeFitting())
        .thenCompose(done -> refundAll())
        .thenApply(done -> response());
  }

  private CompletableFuture<Void> recordAll() {
    return all(recorded, DescriptorCharge::record).thenAccept(found -> put(recorded, found, true));
  }

  private CompletableFuture<Void> chargeFitting() {
    boolean denied = !recorded.isEmpty() && isOverLimit();
    CompletableFuture<List<Decision>> decisions;
    if (denied && !each) {
      decisions = all(fitting, charge -> charge.tryAcquire(0));
    } else if (each || fitting.size() <= 1) {
      // Of one descriptor all is the same as each, and that is what most requests have.
      decisions = all(fitting, charge -> charge.tryAcquire(charge.permits()));
    } else {
      decisions = AllOrNothing.tryAcquire(fitting);
    }
    return decisions.thenAccept(found -> put(fitting, found, each || (!denied && allFit(found))));
  }

  private boolean allFit(List<Decision> decisions) {
    for (int i = 0; i < decisions.size(); i++) {
      if (!decisions.get(i).allowed() && fitting.get(i).isBinding()) {
        return false;
      }
    }
    return true;
  }

  private CompletableFuture<Void> refundAll() {
    boolean admitted = each || !isOverLimit();
    return all(
            refunds,
            charge ->
                admitted
                    ? charge.counter().refund(charge.permits(), null)
                    : charge.counter().tryAcquire(0))
        .thenAccept(found -> put(refunds, found, false));
  }

  private void put(List<DescriptorCharge> charges, List<Decision> decisions, boolean charged) {
    for (int i = 0; i < charges.size(); i++) {
      DescriptorCharge charge = charges.get(i);
      Decision decision = decisions.get(i);
      RlsStatus status = charge.status(decision);
      statuses[charge.place()] = status;
      DescriptorMeters.Hits hits = charge.match().hits();
      if (hits != null && (charged || !decision.allowed())) {
        hits.count(charge.permits(), decision.allowed(), status.overLimit());
      }
    }
  }

  /** One is over its limit, or all of those are that deny only together. */
  private boolean isOverLimit() {
    int quotas = 0;
    int exceeded = 0;
    for (int i = 0; i < statuses.length; i++) {
      RlsStatus status = statuses[i];
      boolean quota = matches.get(i).terms().quota() && matches.get(i).counter() != null;
      if (status != null && status.overLimit() && !quota) {
        return true;
      }
      quotas += quota ? 1 : 0;
      exceeded += quota && status != null && status.overLimit() ? 1 : 0;
    }
    return quotas > 0 && quotas == exceeded;
  }

  private RlsResponse response() {
    Struct metadata = Struct.getDefaultInstance();
    for (int i = 0; i < statuses.length; i++) {
      Match match = matches.get(i);
      if (match.counter() != null && !statuses[i].overLimit()) {
        metadata = Metadata.merged(metadata, match.terms().metadata());
      }
    }
    return new RlsResponse(
        isOverLimit(),
        Arrays.asList(statuses),
        metadata.getFieldsCount() == 0 ? metadata : Metadata.response(request, metadata));
  }

  private static CompletableFuture<List<Decision>> all(
      List<DescriptorCharge> charges, Function<DescriptorCharge, CompletionStage<Decision>> call) {
    if (charges.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    if (charges.size() == 1) {
      return call.apply(charges.get(0)).toCompletableFuture().thenApply(List::of);
    }
    List<CompletableFuture<Decision>> futures =
        charges.stream().map(charge -> call.apply(charge).toCompletableFuture()).toList();
    return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
  }
}
