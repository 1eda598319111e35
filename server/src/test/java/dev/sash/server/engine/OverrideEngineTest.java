package dev.sash.server.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Limit;
import dev.sash.config.Configuration;
import dev.sash.memory.InMemoryStore;
import dev.sash.server.override.Effect;
import dev.sash.server.override.KeyOverride;
import dev.sash.server.override.Target;
import dev.sash.testkit.ManualClock;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an override does to the requests of a key, under policies of every kind. */
class OverrideEngineTest {
  private static final String YAML =
      """
      policies:
        api: {limit: 3/1m, tiers: {pro: 5/1m}, allow: [listed], deny: [denied]}
        other: {limit: 3/1m}
        shadow: {limit: 3/1m, mode: shadow}
        "off": {limit: 3/1m, mode: "off"}
        always: {limit: 3/1m, charge: always}
      """;

  private final Map<String, KeyOverride> overrides = new HashMap<>();
  private final Engine engine =
      new Engine(
          InMemoryStore.builder().clock(new ManualClock()).build(),
          "memory",
          Configuration.parse(YAML, "sash.yaml"),
          null,
          (policy, key) -> overrides.get(policy + " " + key));

  private void set(String policy, String key, Effect effect, String... limits) {
    overrides.put(
        policy + " " + key,
        new KeyOverride(
            new Target(policy, key, false),
            effect,
            Arrays.stream(limits).map(Limit::parse).toList(),
            "because",
            "ann",
            Instant.EPOCH,
            null));
  }

  private CheckResult check(String policy, String key, long permits) {
    return engine.check(CheckRequest.of(policy, key, permits)).toCompletableFuture().join();
  }

  @Test
  void raisedLimitsKeepWhatIsCharged() {
    assertThat(check("api", "ann", 3).allowed()).isTrue();
    assertThat(check("api", "ann", 1).allowed()).isFalse();

    set("api", "ann", Effect.LIMITS, "10/1m");
    CheckResult raised = check("api", "ann", 7);
    assertThat(raised.allowed()).isTrue();
    assertThat(raised.reason()).isEqualTo(Reason.LIMIT);
    assertThat(raised.override()).isEqualTo(Effect.LIMITS);
    assertThat(raised.limits()).containsExactly(Limit.parse("10/1m"));
    assertThat(raised.decision().used()).isEqualTo(10);
    assertThat(check("api", "ann", 1).allowed()).isFalse();
    // Others have the policy's limits.
    assertThat(check("api", "bob", 4).allowed()).isFalse();
    assertThat(check("other", "ann", 4).allowed()).isFalse();

    overrides.clear();
    CheckResult after = check("api", "ann", 0);
    assertThat(after.override()).isNull();
    assertThat(after.decision().used()).isEqualTo(10);
  }

  @Test
  void loweredLimitsReplaceThoseOfATierToo() {
    set("api", "ann", Effect.LIMITS, "1/1m");
    CheckRequest pro = new CheckRequest("api", "ann", 2L, Map.of("tier", "pro"));

    assertThat(engine.check(pro).toCompletableFuture().join().allowed()).isFalse();
    assertThat(check("api", "ann", 1).allowed()).isTrue();
  }

  @Test
  void aBlockDeniesWithoutCharge() {
    set("api", "ann", Effect.BLOCK);
    CheckResult blocked = check("api", "ann", 1);

    assertThat(blocked.allowed()).isFalse();
    assertThat(blocked.reason()).isEqualTo(Reason.BLOCKED);
    assertThat(blocked.override()).isEqualTo(Effect.BLOCK);
    assertThat(blocked.decision().neverAllowed()).isTrue();
    overrides.clear();
    assertThat(check("api", "ann", 0).decision().used()).isZero();
  }

  @Test
  void unlimitedAdmitsWithoutCharge() {
    set("api", "ann", Effect.UNLIMITED);
    for (int i = 0; i < 10; i++) {
      CheckResult admitted = check("api", "ann", 3);
      assertThat(admitted.allowed()).isTrue();
      assertThat(admitted.reason()).isEqualTo(Reason.UNLIMITED);
    }
    overrides.clear();
    assertThat(check("api", "ann", 0).decision().used()).isZero();
  }

  @Test
  void theDenyListWinsOverAnOverrideAndAnOverrideOverTheAllowList() {
    set("api", "denied", Effect.UNLIMITED);
    assertThat(check("api", "denied", 1).reason()).isEqualTo(Reason.DENY_LIST);
    assertThat(check("api", "denied", 1).override()).isNull();
    set("api", "denied", Effect.LIMITS, "10/1m");
    assertThat(check("api", "denied", 1).reason()).isEqualTo(Reason.DENY_LIST);

    assertThat(check("api", "listed", 1).reason()).isEqualTo(Reason.ALLOW_LIST);
    set("api", "listed", Effect.BLOCK);
    assertThat(check("api", "listed", 1).reason()).isEqualTo(Reason.BLOCKED);
    set("api", "listed", Effect.LIMITS, "1/1m");
    assertThat(check("api", "listed", 2).allowed()).isFalse();
  }

  @Test
  void aPolicyInShadowModeNeverDenies() {
    set("shadow", "ann", Effect.BLOCK);
    CheckResult blocked = check("shadow", "ann", 1);
    assertThat(blocked.allowed()).isTrue();
    assertThat(blocked.reason()).isEqualTo(Reason.SHADOW);
    assertThat(blocked.override()).isNull();
    assertThat(blocked.decision().used()).isEqualTo(1);

    set("shadow", "ann", Effect.LIMITS, "1/1m");
    CheckResult lowered = check("shadow", "ann", 1);
    assertThat(lowered.allowed()).isTrue();
    assertThat(lowered.decision().allowed()).isFalse();
    assertThat(lowered.override()).isEqualTo(Effect.LIMITS);
  }

  @Test
  void aPolicyThatIsOffHasNoOverrides() {
    for (Effect effect : List.of(Effect.BLOCK, Effect.UNLIMITED)) {
      set("off", "ann", effect);
      CheckResult result = check("off", "ann", 1);
      assertThat(result.allowed()).isTrue();
      assertThat(result.reason()).isEqualTo(Reason.OFF);
      assertThat(result.override()).isNull();
    }
  }

  @Test
  void aBlockUnderOnePolicyChargesNoneOfTheOthers() {
    set("api", "ann", Effect.BLOCK);
    List<CheckResult> results =
        engine
            .checkAll(
                List.of(CheckRequest.of("other", "ann", 1L), CheckRequest.of("api", "ann", 1L)))
            .toCompletableFuture()
            .join();

    assertThat(results.get(1).allowed()).isFalse();
    assertThat(check("other", "ann", 0).decision().used()).isZero();
  }

  @Test
  void aBlockedKeyIsNotChargedUnderAPolicyThatAlwaysCharges() {
    set("always", "ann", Effect.BLOCK);
    assertThat(check("always", "ann", 9).allowed()).isFalse();
    overrides.clear();
    assertThat(check("always", "ann", 0).decision().used()).isZero();
  }

  @Test
  void aPrefixDoesNotAdmitAKeyThatIsTooLong() {
    String key = "k".repeat(1_025);
    overrides.put(
        "api " + key,
        new KeyOverride(
            new Target("api", "k", true),
            Effect.UNLIMITED,
            List.of(),
            "because",
            "ann",
            Instant.EPOCH,
            null));
    assertThatThrownBy(() -> check("api", key, 1))
        .hasMessage("key must be between 1 and 1024 bytes of UTF-8, was 1025 bytes");
  }
}
