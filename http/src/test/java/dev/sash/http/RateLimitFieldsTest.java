package dev.sash.http;

import static dev.sash.http.Answers.allowed;
import static dev.sash.http.Answers.denied;
import static dev.sash.http.Answers.never;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.store.Decisions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.OuterList;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;
import org.junit.jupiter.api.Test;

class RateLimitFieldsTest {
  private static final InstantSource NOON =
      InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000L, 1));

  private static Map<String, String> write(FieldStyle style, PolicyDecision... decisions) {
    RateLimitFields fields = new RateLimitFields(Set.of(style), NOON);
    Map<String, String> written = fields.write(List.of(decisions));
    if (decisions.length == 1) {
      Map<String, String> one = new LinkedHashMap<>();
      fields.write(decisions[0], one::put);
      assertThat(List.copyOf(one.entrySet())).isEqualTo(List.copyOf(written.entrySet()));
    }
    return written;
  }

  @Test
  void tellsEveryPolicyInTheFieldsOfDraft11() {
    assertThat(write(FieldStyle.RATELIMIT, allowed("burst", "100/1m", 50, 30_000_000)))
        .isEqualTo(
            Map.of("RateLimit-Policy", "\"burst\";q=100;w=60", "RateLimit", "\"burst\";r=50;t=30"));
    assertThat(
            write(
                FieldStyle.RATELIMIT,
                allowed("burst", "100/1m", 50, 29_000_001),
                denied("daily", "1000/1d", 7_200_000_000L)))
        .containsExactly(
            Map.entry("RateLimit-Policy", "\"burst\";q=100;w=60, \"daily\";q=1000;w=86400"),
            Map.entry("RateLimit", "\"burst\";r=50;t=30, \"daily\";r=0;t=7200"),
            Map.entry("Retry-After", "7200"));
  }

  @Test
  void limitsOfOnePolicyAreToldApart() {
    Limit second = Limit.parse("5/1s");
    Limit hour = Limit.parse("1000/1h sliding-counter");
    Decision decision = Decisions.allowed(second, 5, 0, 700_000, Source.STORE);
    PolicyDecision answer =
        new PolicyDecision("api", List.of(second, hour), null, "key", 1, decision);

    assertThat(write(FieldStyle.RATELIMIT, answer))
        .isEqualTo(
            Map.of(
                "RateLimit-Policy", "\"api:5/1s\";q=5;w=1, \"api:1000/1h\";q=1000;w=3600",
                "RateLimit", "\"api:5/1s\";r=0;t=1"));

    // A local share of the limit still is that limit.
    Decision share =
        Decisions.allowed(Limit.parse("500/1h sliding-counter"), 1, 499, 1, Source.LOCAL);
    assertThat(
            write(
                FieldStyle.RATELIMIT,
                new PolicyDecision("api", List.of(second, hour), null, "key", 1, share)))
        .containsEntry("RateLimit", "\"api:1000/1h\";r=499;t=1");
  }

  @Test
  void limitsOfTheSameRateAreToldApartToo() {
    Limit log = Limit.parse("5/1s");
    Limit bucket = Limit.parse("5/1s token-bucket capacity=9");
    Decision decision = Decisions.allowed(bucket, 5, 4, 700_000, Source.STORE);

    assertThat(
            write(
                FieldStyle.RATELIMIT,
                new PolicyDecision("api", List.of(log, bucket), null, "key", 1, decision)))
        .containsExactly(
            Map.entry(
                "RateLimit-Policy",
                "\"api:5/1s sliding-log\";q=5;w=1,"
                    + " \"api:5/1s token-bucket capacity=9\";q=5;w=1"),
            Map.entry("RateLimit", "\"api:5/1s token-bucket capacity=9\";r=4;t=1"));
  }

  @Test
  void aSlowLimitDoesNotStretchTheTimeOfTheOneThatIsNearest() {
    Limit second = Limit.parse("5/1s");
    Limit day = Limit.parse("1000/1d");
    Decision decision = Decisions.allowed(second, 2, 3, 86_400_000_000L, Source.STORE);
    PolicyDecision answer =
        new PolicyDecision("api", List.of(second, day), null, "key", 1, decision);

    assertThat(write(FieldStyle.RATELIMIT, answer))
        .containsEntry("RateLimit", "\"api:5/1s\";r=3;t=1");
    assertThat(write(FieldStyle.X_RATELIMIT_DELTA, answer)).containsEntry("X-RateLimit-Reset", "1");
  }

  @Test
  void aPolicyThatWasAskedForSeveralKeysIsListedOnce() {
    PolicyDecision roomy = allowed("api", "10/1m", 9, 60_000_000);
    PolicyDecision scarce = allowed("api", "10/1m", 2, 50_000_000);
    PolicyDecision other = allowed("other", "10/1m", 5, 40_000_000);

    assertThat(write(FieldStyle.RATELIMIT, roomy, other, scarce))
        .containsExactly(
            Map.entry("RateLimit-Policy", "\"api\";q=10;w=60, \"other\";q=10;w=60"),
            Map.entry("RateLimit", "\"api\";r=2;t=50, \"other\";r=5;t=40"));
  }

  @Test
  void leavesAwayWhatWholeSecondsCannotTell() {
    assertThat(write(FieldStyle.RATELIMIT, allowed("fine", "5/1500ms", 5, 0)))
        .isEqualTo(Map.of("RateLimit-Policy", "\"fine\";q=5", "RateLimit", "\"fine\";r=5"));
    assertThat(write(FieldStyle.RATELIMIT, allowed("fine", "5/100ms", 4, 100_000)))
        .isEqualTo(Map.of("RateLimit-Policy", "\"fine\";q=5", "RateLimit", "\"fine\";r=4;t=1"));
  }

  @Test
  void namesTheUnitIfItIsNotARequest() {
    PolicyDecision request = allowed("upload", "1000000/1h", 5, 1_000_000);
    PolicyDecision bytes =
        new PolicyDecision("upload", request.limits(), "content-bytes", "k", 1, request.decision());

    assertThat(write(FieldStyle.RATELIMIT, bytes))
        .containsEntry("RateLimit-Policy", "\"upload\";q=1000000;w=3600;qu=\"content-bytes\"");
  }

  @Test
  void writesTheOlderFieldsForThePolicyNearestToExhaustion() {
    PolicyDecision[] decisions = {
      allowed("a", "100/1m", 50, 30_000_000),
      allowed("b", "10/1h", 3, 1_800_000_001L),
      allowed("c", "1000/1d", 999, 86_400_000_000L)
    };
    assertThat(write(FieldStyle.RATELIMIT_DRAFT_6, decisions))
        .containsExactly(
            Map.entry("RateLimit-Limit", "10"),
            Map.entry("RateLimit-Remaining", "3"),
            Map.entry("RateLimit-Reset", "1801"));
    assertThat(write(FieldStyle.X_RATELIMIT_DELTA, decisions))
        .containsExactly(
            Map.entry("X-RateLimit-Limit", "10"),
            Map.entry("X-RateLimit-Remaining", "3"),
            Map.entry("X-RateLimit-Reset", "1801"));
    assertThat(write(FieldStyle.X_RATELIMIT_EPOCH, decisions))
        .containsExactly(
            Map.entry("X-RateLimit-Limit", "10"),
            Map.entry("X-RateLimit-Remaining", "3"),
            Map.entry("X-RateLimit-Reset", "1800001801"));
    assertThat(
            write(
                FieldStyle.X_RATELIMIT_DELTA,
                denied("a", "5/1s", 400_000),
                denied("b", "10/1h", 90_000_000),
                allowed("c", "9/1d", 0, 86_400_000_000L)))
        .containsExactly(
            Map.entry("X-RateLimit-Limit", "10"),
            Map.entry("X-RateLimit-Remaining", "0"),
            Map.entry("X-RateLimit-Reset", "90"),
            Map.entry("Retry-After", "90"));
  }

  @Test
  void retryAfterIsRoundedUpAndTheLongestOfAll() {
    assertThat(retryAfter(denied("a", "5/1s", 1))).isEqualTo("1");
    assertThat(retryAfter(denied("a", "5/1m", 1_000_000))).isEqualTo("1");
    assertThat(retryAfter(denied("a", "5/1m", 1_000_001))).isEqualTo("2");
    assertThat(retryAfter(denied("a", "5/1m", 1_000_001), denied("b", "5/1h", 60_000_000)))
        .isEqualTo("60");
    assertThat(retryAfter(allowed("a", "5/1m", 0, 60_000_000))).isNull();
    assertThat(retryAfter(never("a", "5/1m"))).isNull();
    assertThat(retryAfter(never("a", "5/1m"), denied("b", "5/1h", 60_000_000))).isNull();
  }

  /** The form without a list computes this field by itself. */
  @Test
  void retryAfterOfOneDecisionIsRoundedUpToo() {
    assertThat(retryAfterOfOne(denied("a", "5/1m", 1))).isEqualTo("1");
    assertThat(retryAfterOfOne(denied("a", "5/1m", 999_999))).isEqualTo("1");
    assertThat(retryAfterOfOne(denied("a", "5/1m", 1_000_000))).isEqualTo("1");
    assertThat(retryAfterOfOne(denied("a", "5/1m", 1_000_001))).isEqualTo("2");
    assertThat(retryAfterOfOne(denied("a", "5/1m", 59_999_999))).isEqualTo("60");
    assertThat(retryAfterOfOne(allowed("a", "5/1m", 0, 60_000_000))).isNull();
    assertThat(retryAfterOfOne(never("a", "5/1m"))).isNull();
  }

  private static String retryAfterOfOne(PolicyDecision decision) {
    Map<String, String> fields = new LinkedHashMap<>();
    new RateLimitFields(Set.of(FieldStyle.RATELIMIT), NOON).write(decision, fields::put);
    return fields.get("Retry-After");
  }

  @Test
  void oneDecisionIsWrittenLikeAListOfOne() {
    Hostile draw = new Hostile(Hostile.SEED);
    List<Set<FieldStyle>> styles =
        List.of(
            Set.of(),
            Set.of(FieldStyle.RATELIMIT),
            Set.of(FieldStyle.X_RATELIMIT_DELTA),
            Set.of(FieldStyle.RATELIMIT, FieldStyle.X_RATELIMIT_EPOCH),
            Set.of(FieldStyle.RATELIMIT, FieldStyle.RATELIMIT_DRAFT_6));
    for (int i = 0; i < 5_000; i++) {
      RateLimitFields fields =
          new RateLimitFields(i % 2 == 0 ? styles.get(1) : styles.get(draw.below(5)), NOON);
      PolicyDecision answer = drawn(draw);
      Map<String, String> one = new LinkedHashMap<>();
      fields.write(answer, one::put);
      assertThat(List.copyOf(one.entrySet()))
          .as("%s of %s", Hostile.REPLAY, answer)
          .isEqualTo(List.copyOf(fields.write(List.of(answer)).entrySet()));
    }
  }

  private static PolicyDecision drawn(Hostile draw) {
    Limit limit = Limit.parse((1 + draw.below(9)) + "/" + (1 + draw.below(9_999)) + "ms");
    Limit other = Limit.parse("1000/1d");
    Source source = draw.below(4) == 0 ? Source.FAILURE_RULE : Source.STORE;
    long micros = 1 + draw.below(4) * 500_000L + draw.below(3) - 1;
    Decision decision =
        switch (draw.below(4)) {
          case 0 -> Decisions.neverAllowed(limit, 0, limit.capacity(), micros, source);
          case 1 -> Decisions.allowed(limit, 1, limit.capacity() - 1, micros, source);
          default -> Decisions.denied(limit, limit.capacity(), 0, micros + 1, micros + 2, source);
        };
    List<Limit> limits = draw.below(4) == 0 ? List.of(limit, other) : List.of(limit);
    String unit = draw.below(3) == 0 ? "content-bytes" : null;
    return new PolicyDecision("api", limits, unit, "key", 1, decision);
  }

  private static String retryAfter(PolicyDecision... decisions) {
    RateLimitFields none = new RateLimitFields(Set.of(), NOON);
    Map<String, String> fields = none.write(List.of(decisions));
    assertThat(fields.keySet()).isSubsetOf("Retry-After");
    return fields.get("Retry-After");
  }

  @Test
  void saysNothingAboutCountsThatAreNotKnown() {
    Limit limit = Limit.parse("100/1m");
    Decision open = Decisions.allowed(limit, 1, 99, 60_000_000, Source.FAILURE_RULE);
    PolicyDecision answer = Answers.answer("api", limit, open);
    Set<FieldStyle> all =
        EnumSet.of(
            FieldStyle.RATELIMIT, FieldStyle.RATELIMIT_DRAFT_6, FieldStyle.X_RATELIMIT_DELTA);

    assertThat(new RateLimitFields(all, NOON).write(List.of(answer)))
        .isEqualTo(Map.of("RateLimit-Policy", "\"api\";q=100;w=60"));
    assertThat(new RateLimitFields(all, NOON).write(List.of())).isEmpty();
  }

  @Test
  void oneNameHasOneMeaning() {
    assertThatThrownBy(
            () ->
                new RateLimitFields(
                    EnumSet.of(FieldStyle.X_RATELIMIT_DELTA, FieldStyle.X_RATELIMIT_EPOCH), NOON))
        .hasMessage(
            "styles must have at most one of X_RATELIMIT_DELTA and X_RATELIMIT_EPOCH (they use the"
                + " same names), were [X_RATELIMIT_DELTA, X_RATELIMIT_EPOCH]");
  }

  @Test
  void anIndependentParserOfStructuredFieldsReadsWhatWasMeant() throws Exception {
    Hostile draw = new Hostile(Hostile.SEED);
    for (int i = 0; i < 2_000; i++) {
      long permits = 1L + draw.below(1_000_000_000);
      long seconds = 1L + draw.below(366 * 86_400);
      long remaining = draw.below((int) permits);
      long reset = draw.below(2_000_000_000);
      Limit limit = Limit.slidingLog(permits, java.time.Duration.ofSeconds(seconds));
      Decision decision =
          Decisions.allowed(limit, permits - remaining, remaining, reset, Source.STORE);
      PolicyDecision answer =
          new PolicyDecision("p." + i, List.of(limit), "content-bytes", "k", 1, decision);
      PolicyDecision another =
          new PolicyDecision("q." + i, List.of(limit), "content-bytes", "k", 1, decision);
      Map<String, String> fields = write(FieldStyle.RATELIMIT, answer, another);

      OuterList policies = new Parser(fields.get("RateLimit-Policy")).parseList();
      OuterList states = new Parser(fields.get("RateLimit")).parseList();
      assertThat(policies.get()).hasSize(2);
      assertThat(states.get()).hasSize(2);
      for (ListElement<?> policy : policies.get()) {
        assertThat(policy).isInstanceOf(StringItem.class);
        assertThat(policy.get()).asString().matches("[pq]\\." + i);
        assertThat(parameter(policy, "q")).isEqualTo(permits);
        assertThat(parameter(policy, "w")).isEqualTo(seconds);
        assertThat(parameter(policy, "qu")).isEqualTo("content-bytes");
      }
      for (ListElement<?> state : states.get()) {
        assertThat(state.get()).asString().matches("[pq]\\." + i);
        assertThat(parameter(state, "r")).isEqualTo(remaining);
        long ceil = (reset + 999_999) / 1_000_000;
        assertThat(ceil == 0 ? 0L : parameter(state, "t")).isEqualTo(ceil);
      }
    }
  }

  private static Object parameter(ListElement<?> element, String name) {
    return element.getParams().get(name).get();
  }
}
