package dev.sash.http;

import dev.sash.Decision;
import dev.sash.Limit;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Writes decisions as header fields of responses, to admitted and denied requests alike. Immutable.
 *
 * <p>Times are whole seconds, rounded up, so that clients do not retry too early. For a denied
 * request they are the time until it fits; otherwise the time until nothing is charged any more, or
 * with several limits the window of the one nearest to exhaustion if that is shorter. A client that
 * spends no more than what remains until then is never denied. If a failure rule admitted the
 * request, the counts are unknown and not reported.
 */
public final class RateLimitFields {
  private static final String POLICY = "RateLimit-Policy";
  private static final String STATE = "RateLimit";
  private static final String RETRY_AFTER = "Retry-After";
  private static final String LIMIT = "RateLimit-Limit";
  private static final String REMAINING = "RateLimit-Remaining";
  private static final String RESET = "RateLimit-Reset";
  private static final String OLD = "X-";
  private static final Set<FieldStyle> ONLY_STANDARD = Set.of(FieldStyle.RATELIMIT);
  private static final int ITEMS = 64;

  /** The text of a policy with one limit, which is the same for most of its decisions. */
  private record Item(String policy, List<Limit> limits, @Nullable String unit, String text) {
    @SuppressWarnings("ReferenceEquality") // other lists of the same limits only take longer
    boolean isOf(PolicyDecision decision) {
      return limits == decision.limits()
          && policy.equals(decision.policy())
          && Objects.equals(unit, decision.unit());
    }
  }

  private final Set<FieldStyle> styles;
  private final boolean isOnlyStandard;
  private final InstantSource wallClock;
  private final AtomicReferenceArray<@Nullable Item> items = new AtomicReferenceArray<>(ITEMS);

  /**
   * Creates a writer.
   *
   * @param styles the fields to write in addition to {@code Retry-After}; may be empty, but not
   *     contain both forms of {@code X-RateLimit-*}
   * @param wallClock the clock for {@link FieldStyle#X_RATELIMIT_EPOCH}
   */
  public RateLimitFields(Set<FieldStyle> styles, InstantSource wallClock) {
    this.styles = EnumSet.noneOf(FieldStyle.class);
    this.styles.addAll(styles);
    this.isOnlyStandard = styles.equals(ONLY_STANDARD);
    this.wallClock = Objects.requireNonNull(wallClock, "wallClock must not be null");
    if (styles.contains(FieldStyle.X_RATELIMIT_DELTA)
        && styles.contains(FieldStyle.X_RATELIMIT_EPOCH)) {
      throw new IllegalArgumentException(
          "styles must have at most one of X_RATELIMIT_DELTA and X_RATELIMIT_EPOCH (they use the"
              + " same names), were "
              + styles);
    }
  }

  /**
   * Returns the fields of a response.
   *
   * @param decisions the decision of each policy
   * @return names and values, in order; empty if there are no decisions
   */
  public Map<String, String> write(List<PolicyDecision> decisions) {
    Map<String, String> fields = new LinkedHashMap<>();
    if (decisions.isEmpty()) {
      return fields;
    }
    if (isOnlyStandard && decisions.size() == 1 && decisions.get(0).limits().size() == 1) {
      write(decisions.get(0), fields::put);
      return fields;
    }
    List<PolicyDecision> known = new ArrayList<>();
    for (PolicyDecision answer : decisions) {
      if (isKnown(answer)) {
        known.add(answer);
      }
    }
    if (styles.contains(FieldStyle.RATELIMIT)) {
      fields.put(POLICY, policyList(decisions));
      if (!known.isEmpty()) {
        fields.put(STATE, stateList(known));
      }
    }
    if (!known.isEmpty()) {
      PolicyDecision nearest = Collections.max(known, NEARNESS);
      if (styles.contains(FieldStyle.RATELIMIT_DRAFT_6)) {
        putThree(fields, "", nearest.decision(), ceilSeconds(untilFree(nearest)));
      }
      if (styles.contains(FieldStyle.X_RATELIMIT_DELTA)) {
        putThree(fields, OLD, nearest.decision(), ceilSeconds(untilFree(nearest)));
      }
      if (styles.contains(FieldStyle.X_RATELIMIT_EPOCH)) {
        putThree(fields, OLD, nearest.decision(), epochSeconds(untilFree(nearest)));
      }
    }
    long retryAfter = retryAfterSeconds(decisions);
    if (retryAfter > 0) {
      fields.put(RETRY_AFTER, Long.toString(retryAfter));
    }
    return fields;
  }

  /**
   * Writes the fields for one decision; faster than {@link #write(List)}.
   *
   * @param decision the decision of the policy
   * @param fields receives names and values, in order
   */
  public void write(PolicyDecision decision, BiConsumer<? super String, ? super String> fields) {
    if (!isOnlyStandard || decision.limits().size() != 1) {
      write(List.of(decision)).forEach(fields);
      return;
    }
    fields.accept(POLICY, policyItem(decision));
    if (isKnown(decision)) {
      fields.accept(STATE, stateItem(decision.name(), decision));
    }
    long retryAfter =
        decision.decision().neverAllowed() ? 0 : ceilSeconds(decision.decision().retryAfter());
    if (retryAfter > 0) {
      fields.accept(RETRY_AFTER, Long.toString(retryAfter));
    }
  }

  /**
   * Returns the seconds, rounded up, after which the request fits under every policy if nobody else
   * spends.
   *
   * @param decisions the decision of each policy
   * @return 0 if the request was admitted or can never be
   */
  public static long retryAfterSeconds(List<PolicyDecision> decisions) {
    long longest = 0;
    for (PolicyDecision answer : decisions) {
      if (answer.decision().neverAllowed()) {
        return 0;
      }
      longest = Math.max(longest, ceilSeconds(answer.decision().retryAfter()));
    }
    return longest;
  }

  /** Denied before allowed, then the longest wait, then what has the least left. */
  private static final Comparator<PolicyDecision> NEARNESS =
      Comparator.comparing((PolicyDecision answer) -> !answer.decision().allowed())
          .thenComparing(answer -> answer.decision().retryAfter())
          .thenComparing(answer -> -answer.decision().remaining());

  private static boolean isKnown(PolicyDecision answer) {
    Decision decision = answer.decision();
    return !(decision.allowed() && decision.source() == Decision.Source.FAILURE_RULE);
  }

  private static void putThree(
      Map<String, String> fields, String prefix, Decision decision, long reset) {
    fields.put(prefix + LIMIT, Long.toString(decision.limit()));
    fields.put(prefix + REMAINING, Long.toString(decision.remaining()));
    fields.put(prefix + RESET, Long.toString(reset));
  }

  /** One item for each limit; a policy may have decided about several keys. */
  /** Returns the item of a policy with one limit. */
  private String policyItem(PolicyDecision answer) {
    int place = System.identityHashCode(answer.limits()) & (ITEMS - 1);
    Item known = items.get(place);
    if (known == null || !known.isOf(answer)) {
      String text = policyItem(answer, answer.limits().get(0));
      known = new Item(answer.policy(), answer.limits(), answer.unit(), text);
      items.set(place, known);
    }
    return known.text();
  }

  private String policyList(List<PolicyDecision> answers) {
    if (answers.size() == 1 && answers.get(0).limits().size() == 1) {
      return policyItem(answers.get(0));
    }
    Set<String> items = new LinkedHashSet<>();
    for (PolicyDecision answer : answers) {
      for (Limit limit : answer.limits()) {
        items.add(policyItem(answer, limit));
      }
    }
    return String.join(", ", items);
  }

  /** {@code "api";q=100;w=60}. */
  private static String policyItem(PolicyDecision answer, Limit limit) {
    StringBuilder item = new StringBuilder(48);
    item.append('"').append(answer.nameOf(limit)).append("\";q=").append(limit.permits());
    if (limit.windowMicros() % 1_000_000 == 0) {
      item.append(";w=").append(limit.windowMicros() / 1_000_000);
    }
    if (answer.unit() != null) {
      item.append(";qu=\"").append(answer.unit()).append('"');
    }
    return item.toString();
  }

  /** One item for each policy: for the limit that decided, and the key nearest to exhaustion. */
  private static String stateList(List<PolicyDecision> answers) {
    if (answers.size() == 1) {
      return stateItem(answers.get(0).name(), answers.get(0));
    }
    Map<String, PolicyDecision> nearest = new LinkedHashMap<>();
    for (PolicyDecision answer : answers) {
      nearest.merge(answer.name(), answer, BinaryOperator.maxBy(NEARNESS));
    }
    StringJoiner items = new StringJoiner(", ");
    nearest.forEach((name, answer) -> items.add(stateItem(name, answer)));
    return items.toString();
  }

  /** {@code "api";r=50;t=30}. */
  private static String stateItem(String name, PolicyDecision answer) {
    long seconds = ceilSeconds(untilFree(answer));
    long remaining = answer.decision().remaining();
    return seconds > 0
        ? '"' + name + "\";r=" + remaining + ";t=" + seconds
        : '"' + name + "\";r=" + remaining;
  }

  /** Zero if waiting is useless or unnecessary. */
  private static Duration untilFree(PolicyDecision answer) {
    Decision decision = answer.decision();
    if (!decision.allowed()) {
      return decision.neverAllowed() ? Duration.ZERO : decision.retryAfter();
    }
    Duration reset = decision.resetAfter(); // of all limits, hence of the slowest
    Duration window = decision.decidedBy().window();
    return answer.limits().size() > 1 && window.compareTo(reset) < 0 ? window : reset;
  }

  private static long ceilSeconds(Duration duration) {
    return duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
  }

  private long epochSeconds(Duration fromNow) {
    return ceilSeconds(Duration.between(Instant.EPOCH, wallClock.instant().plus(fromNow)));
  }
}
