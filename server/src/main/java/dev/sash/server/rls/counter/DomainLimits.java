package dev.sash.server.rls.counter;

import dev.sash.Algorithm;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.config.envoy.EnvoyUnit;
import dev.sash.key.Keys;
import dev.sash.server.engine.Engine;
import dev.sash.server.rls.wire.InvalidRequestException;
import dev.sash.server.rls.wire.RlsRequest;
import dev.sash.server.rls.wire.RlsRequest.Entry;
import dev.sash.server.rls.wire.RlsStatus.CurrentLimit;
import dev.sash.server.statistics.Statistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes limits of Envoy's form into counters, within one domain.
 *
 * @param domain the domain's name
 * @param engine counts
 * @param algorithm how
 * @param deadline within which a remote store must have answered
 */
public record DomainLimits(String domain, Engine engine, Algorithm algorithm, Duration deadline) {
  /** The most that a limit can be, and a request can cost: more counts as this. */
  public static final long MOST = 1_000_000_000;

  private static final String NAME = "rls";
  private static final int LONGEST_DOMAIN = 59;

  /**
   * A limit, ready to count.
   *
   * @param domain the domain's name
   * @param limits the limit; empty if it allows nothing
   * @param limiter counts by it
   * @param shown the limit as responses to Envoy describe it
   * @param shadow whether requests that it denies are admitted all the same
   * @param statistics records what is decided without the limiter; null if nothing does
   */
  public record Ready(
      String domain,
      List<Limit> limits,
      RateLimiter limiter,
      CurrentLimit shown,
      boolean shadow,
      @Nullable Statistics statistics) {
    /**
     * Counts by this limit.
     *
     * @param entries make the key: what matches an asterisk or no value at all has counts of its
     *     own for each value
     * @param time in which the store must have answered
     */
    public Counter counter(List<Entry> entries, TimeLimit time) {
      List<String> parts = new ArrayList<>(1 + 2 * entries.size());
      parts.add(domain);
      for (Entry entry : entries) {
        parts.add(entry.key());
        parts.add(entry.value());
      }
      String key = Keys.joined(parts);
      return limits.isEmpty()
          ? new NothingAllowed(limiter.policy().name(), shown, shadow, key, statistics)
          : new LimitCounter(limiter, time, key, shown);
    }
  }

  /**
   * A limit of Envoy's form.
   *
   * @param shadow whether requests that it denies are admitted all the same
   */
  public Ready ready(long requestsPerUnit, EnvoyUnit unit, String name, boolean shadow) {
    CurrentLimit shown = new CurrentLimit(requestsPerUnit, unit.number(), name);
    if (requestsPerUnit == 0) {
      return new Ready(domain, List.of(), limiter(shadow), shown, shadow, engine.statistics());
    }
    long permits = Math.min(MOST, requestsPerUnit);
    List<Limit> limits = List.of(Limit.of(algorithm, permits, unit.window()));
    return new Ready(domain, limits, limiter(shadow).withLimits(limits), shown, shadow, null);
  }

  /** A limit that came with a request. */
  public Ready override(RlsRequest.OwnLimit limit) {
    for (EnvoyUnit unit : EnvoyUnit.values()) {
      if (unit.number() == limit.unit()) {
        return ready(limit.requestsPerUnit(), unit, "", false);
      }
    }
    throw new InvalidRequestException("unit of limit must be between 1 and 7, was " + limit.unit());
  }

  /** One for each domain, so that metrics distinguish them; its own limit is never used. */
  private RateLimiter limiter(boolean shadow) {
    boolean fits = domain.length() <= LONGEST_DOMAIN && domain.matches("[A-Za-z0-9._-]+");
    Limit unused = Limit.fixedWindow(1, Duration.ofSeconds(1));
    return engine.limiter(
        Policy.internal(fits ? NAME + "." + domain : NAME)
            .withLimit(unused)
            .withDeadline(deadline)
            .withGrace(Duration.ZERO), // the client does not wait longer
        shadow);
  }
}
