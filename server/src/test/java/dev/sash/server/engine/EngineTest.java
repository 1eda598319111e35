package dev.sash.server.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.config.Configuration;
import dev.sash.memory.InMemoryStore;
import dev.sash.micrometer.SashMeters;
import dev.sash.testkit.ManualClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EngineTest {
  private final ManualClock clock = new ManualClock();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private Engine engine(String yaml) {
    InMemoryStore store = InMemoryStore.builder().clock(clock).build();
    return new Engine(
        new SashMeters(registry).instrument(store),
        "memory",
        Configuration.parse(yaml, "sash.yaml"));
  }

  private static CheckResult check(Engine engine, String policy, String key) {
    return check(engine, CheckRequest.of(policy, key, null));
  }

  private static CheckResult check(Engine engine, CheckRequest question) {
    return engine.check(question).toCompletableFuture().join();
  }

  private static CheckRequest with(String policy, String... attributes) {
    return new CheckRequest(
        policy,
        null,
        null,
        attributes.length == 2
            ? Map.of(attributes[0], attributes[1])
            : Map.of(attributes[0], attributes[1], attributes[2], attributes[3]));
  }

  @Test
  void decidesByThePolicyThatIsNamed() {
    Engine engine = engine("policies: {one: {limit: 1/1m}, two: {limit: 2/1m}}");

    assertThat(check(engine, "one", "ann").allowed()).isTrue();
    CheckResult denied = check(engine, "one", "ann");
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.reason()).isEqualTo(Reason.LIMIT);
    assertThat(denied.policy()).isEqualTo("one");
    assertThat(denied.limits()).containsExactly(Limit.parse("1/1m"));
    assertThat(denied.decision().retryAfter()).isEqualTo(Duration.ofMinutes(1));
    assertThat(check(engine, "two", "ann").allowed()).isTrue();
  }

  @Test
  void namesAPolicyThatThereIsNotButNothingThatCannotBeOne() {
    Engine engine = engine("policies: {one: {limit: 1/1m}}");

    assertThatThrownBy(() -> check(engine, "other", "ann"))
        .isInstanceOf(UnknownPolicyException.class)
        .hasMessage("there is no policy 'other'");
    assertThatThrownBy(() -> check(engine, "<script>", "ann"))
        .isInstanceOf(UnknownPolicyException.class)
        .hasMessage("there is no policy '(not a policy's name)'");
  }

  @Test
  void aPolicyThatIsChargedAlwaysRecordsWhatDoesNotFit() {
    Engine engine = engine("policies: {llm: {limit: 10/1m, charge: always}}");
    assertThat(check(engine, CheckRequest.of("llm", "ann", 10L)).allowed()).isTrue();

    CheckResult beyond = check(engine, CheckRequest.of("llm", "ann", 7L));
    assertThat(beyond.allowed()).isFalse();
    assertThat(beyond.decision().used()).isEqualTo(17);
    assertThat(beyond.decision().retryAfter()).isEqualTo(Duration.ofMinutes(1));
    CheckResult look = check(engine, CheckRequest.of("llm", "ann", 0L));
    assertThat(look.decision().used()).isEqualTo(17);
    clock.advance(Duration.ofMinutes(1));
    assertThat(check(engine, "llm", "ann").allowed()).isTrue();
  }

  @Test
  void givesBackAndForgets() {
    Engine engine = engine("policies: {one: {limit: 2/1m}}");
    CheckRequest two = CheckRequest.of("one", "ann", 2L);
    check(engine, two);

    CheckResult refunded =
        engine.refund(CheckRequest.of("one", "ann", 1L)).toCompletableFuture().join();
    assertThat(refunded.decision().remaining()).isEqualTo(1);
    engine.reset(CheckRequest.of("one", "ann", null)).toCompletableFuture().join();
    assertThat(check(engine, two).allowed()).isTrue();
  }

  @Test
  void anotherConfigurationKeepsWhatIsSpentUnderTheSameWindow() {
    Engine engine = engine("policies: {one: {limit: 2/1m}}");
    check(engine, "one", "ann");
    check(engine, "one", "ann");

    engine.apply(Configuration.parse("policies: {one: {limit: 3/1m}, new: {limit: 1/s}}", "b"));

    assertThat(check(engine, "one", "ann").decision().remaining()).isZero();
    assertThat(check(engine, "one", "ann").allowed()).isFalse();
    assertThat(check(engine, "new", "ann").allowed()).isTrue();
    engine.apply(Configuration.parse("policies: {new: {limit: 1/s}}", "c"));
    assertThatThrownBy(() -> check(engine, "one", "ann"))
        .isInstanceOf(UnknownPolicyException.class);
    assertThat(check(engine, "new", "ann").allowed()).isFalse();
  }

  @Test
  void onlyWatchesInShadowAndDoesNothingWhenOff() {
    Engine engine =
        engine("policies: {watch: {limit: 1/1m, mode: shadow}, none: {limit: 1/1m, mode: off}}");
    check(engine, "watch", "ann");
    CheckResult watched = check(engine, "watch", "ann");
    assertThat(watched.allowed()).isTrue();
    assertThat(watched.reason()).isEqualTo(Reason.SHADOW);
    assertThat(watched.decision().allowed()).isFalse();

    check(engine, "none", "ann");
    CheckResult off = check(engine, "none", "ann");
    assertThat(off.allowed()).isTrue();
    assertThat(off.reason()).isEqualTo(Reason.OFF);
    assertThat(off.decision().used()).isZero();
  }

  @Test
  void asksNoLimitsAboutThoseOnLists() {
    Engine engine =
        engine(
            """
            policies:
              api:
                limit: 1/1m
                key: ip
                allow: [10.0.0.0/8, "user:admin"]
                deny: [10.6.6.6, "user:mallory"]
            """);
    for (int i = 0; i < 3; i++) {
      assertThat(check(engine, "api", "user:admin").reason()).isEqualTo(Reason.ALLOW_LIST);
      assertThat(check(engine, with("api", "ip", "10.1.2.3")).allowed()).isTrue();
    }
    CheckResult denied = check(engine, with("api", "ip", "10.6.6.6"));
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.reason()).isEqualTo(Reason.DENY_LIST);
    assertThat(denied.decision().retryAfter()).isEqualTo(Decision.NEVER);
    assertThat(check(engine, "api", "user:mallory").allowed()).isFalse();
  }

  @Test
  void makesKeysOfAttributesThatDoNotCollide() {
    Engine engine = engine("policies: {api: {limit: 1/1m, key: [ip, plan]}}");

    assertThat(check(engine, with("api", "ip", "192.0.2.1", "plan", "pro")).key())
        .isEqualTo("(ip:192.0.2.1|plan:pro)");
    assertThat(check(engine, with("api", "ip", "2001:db8::1", "plan", "a|b")).key())
        .isEqualTo(check(engine, with("api", "ip", "2001:db8::2", "plan", "a|b")).key())
        .doesNotContain("a|b");
    assertThatThrownBy(() -> check(engine, with("api", "ip", "192.0.2.1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("attribute 'plan' must be given");
    assertThatThrownBy(() -> check(engine, with("api", "ip", "localhost", "plan", "pro")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("attribute 'ip' must be an IP address");
  }

  @Test
  void keepsSecretsOutOfKeys() {
    Engine engine = engine("policies: {api: {limit: 1/1m, key: apikey}}");

    assertThat(check(engine, with("api", "apikey", "s3cret")).key())
        .startsWith("apikey:")
        .doesNotContain("s3cret");
  }

  @Test
  void chargesWhatAnAttributeTells() {
    Engine engine =
        engine("policies: {api: {limit: 10/1m, cost: {attribute: size, default: 2, most: 5}}}");

    assertThat(check(engine, "api", "a").decision().used()).isEqualTo(2);
    CheckRequest three = new CheckRequest("api", "b", null, Map.of("size", "3"));
    assertThat(check(engine, three).decision().used()).isEqualTo(3);
    CheckRequest many = new CheckRequest("api", "c", null, Map.of("size", "100"));
    assertThat(check(engine, many).decision().used()).isEqualTo(5);
    CheckRequest told = new CheckRequest("api", "d", 7L, Map.of("size", "3"));
    assertThat(check(engine, told).decision().used()).isEqualTo(7);
    CheckRequest words = new CheckRequest("api", "e", null, Map.of("size", "-1"));
    assertThatThrownBy(() -> check(engine, words))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("attribute 'size' must be a whole number");
  }

  @Test
  void aTierWithTheSameWindowSharesTheCountsAndAnotherHasItsOwn() {
    Engine engine = engine("policies: {api: {limit: 2/1m, tiers: {pro: 5/1m, day: 3/1d}}}");
    CheckRequest pro = new CheckRequest("api", "ann", null, Map.of("tier", "pro"));
    CheckRequest day = new CheckRequest("api", "ann", null, Map.of("tier", "day"));
    CheckRequest unknown = new CheckRequest("api", "ann", null, Map.of("tier", "gold"));

    assertThat(check(engine, "api", "ann").decision().remaining()).isEqualTo(1);
    assertThat(check(engine, pro).decision().remaining()).isEqualTo(3);
    assertThat(check(engine, unknown).allowed()).isFalse();
    for (int i = 0; i < 3; i++) {
      assertThat(check(engine, day).decision().remaining()).isEqualTo(2 - i);
      // Who goes back and forth gains nothing by it.
      assertThat(check(engine, unknown).allowed()).isFalse();
    }
    assertThat(check(engine, day).allowed()).isFalse();
    assertThat(check(engine, day).key()).isEqualTo("ann");
  }

  @Test
  void decidesByAdHocLimitsOnlyWherePermitted() {
    CheckRequest one = CheckRequest.of("ann", null, List.of(Limit.parse("1/1m")));
    Engine refused = engine("policies: {one: {limit: 1/1m}}");
    assertThatThrownBy(() -> refused.check(one))
        .isInstanceOf(NotPermittedException.class)
        .hasMessageContaining("does not permit ad-hoc limits");

    Engine adHoc = engine("policies: {one: {limit: 1/1m}}\nad-hoc-limits: true");
    assertThat(check(adHoc, one).allowed()).isTrue();
    CheckResult denied = check(adHoc, one);
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.policy()).isEqualTo("ad-hoc");
    assertThat(denied.key()).isEqualTo("ann");
    CheckRequest other = CheckRequest.of("ann", 1L, List.of(Limit.parse("1/1h")));
    assertThat(check(adHoc, other).allowed()).isTrue();
    assertThat(adHoc.refund(one).toCompletableFuture().join().decision().remaining()).isEqualTo(1);
    adHoc.reset(other).toCompletableFuture().join();
    assertThat(check(adHoc, other).allowed()).isTrue();
  }

  @Test
  void countsDecisionsByPolicy() {
    Engine engine = engine("policies: {one: {limit: 1/1m}}");
    check(engine, "one", "ann");
    check(engine, "one", "ann");

    assertThat(registry.get("sash.decisions").tags("policy", "one", "outcome", "denied").counters())
        .extracting(counter -> counter.count())
        .contains(1.0);
  }

  private static final String EVERY_KIND =
      """
      policies:
        api: {limits: [5/1m, 9/1h]}
        llm: {limit: 10/1m, charge: always}
        watch: {limit: 3/1m, mode: shadow}
        none: {limit: 1/1m, mode: off}
        listed: {limit: 2/1m, allow: [ann], deny: [bob]}
      """;

  /** Two engines that see the same requests, by two ways that must not differ. */
  @Test
  void oneQuestionOfSeveralIsAnsweredLikeOneAlone() {
    Engine one = engine(EVERY_KIND);
    Engine several = engine(EVERY_KIND);
    List<String> policies = List.of("api", "llm", "watch", "none", "listed");
    List<String> keys = List.of("ann", "bob", "eve");
    SplittableRandom draw = new SplittableRandom(17);
    for (int i = 0; i < 3_000; i++) {
      CheckRequest question =
          CheckRequest.of(
              policies.get(draw.nextInt(policies.size())),
              keys.get(draw.nextInt(keys.size())),
              draw.nextInt(3) == 0 ? null : Long.valueOf(draw.nextInt(4)));
      assertThat(several.checkAll(List.of(question)).toCompletableFuture().join())
          .as("request %d: %s", i, question)
          .containsExactly(check(one, question));
      clock.advanceMicros(draw.nextInt(9_000_000));
    }
  }
}
