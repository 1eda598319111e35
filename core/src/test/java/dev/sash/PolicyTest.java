package dev.sash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyTest {
  private static final Limit BURST = Limit.slidingLog(5, Duration.ofSeconds(1));
  private static final Limit DAILY = Limit.slidingCounter(1000, Duration.ofDays(1));
  private static final Limit PRO = Limit.slidingLog(50, Duration.ofSeconds(1));

  @ParameterizedTest
  @ValueSource(strings = {"a", "0", "api", "API.v2_search-fast", "9.-_"})
  void acceptsNames(String name) {
    assertThat(Policy.named(name).name()).isEqualTo(name);
  }

  @Test
  void acceptsNamesOfUpTo64Characters() {
    assertThat(Policy.named("x".repeat(64)).name()).hasSize(64);
    assertThatIllegalArgumentException().isThrownBy(() -> Policy.named("x".repeat(65)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", ".a", "-a", "_a", "a b", "a:b", "{a}", "é", "a\n", "\u0000"})
  void refusesOtherNames(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.named(name))
        .withMessage(
            "policy name must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit,"
                + " was '%s'",
            name);
  }

  @Test
  void refusesNull() {
    Policy policy = Policy.named("api");

    assertThatNullPointerException()
        .isThrownBy(() -> Policy.named(null))
        .withMessage("policy name must not be null");
    assertThatNullPointerException()
        .isThrownBy(() -> policy.withLimit(null))
        .withMessage("limit must not be null");
    assertThatNullPointerException()
        .isThrownBy(() -> policy.withTiers(null))
        .withMessage("limitsOfKey must not be null");
    assertThatNullPointerException().isThrownBy(() -> policy.withLimits((List<Limit>) null));
    assertThatNullPointerException().isThrownBy(() -> Policy.of("api", BURST, null));
  }

  @Test
  void addsAndReplacesLimits() {
    Policy policy = Policy.named("api").withLimit(BURST).withLimit(DAILY);

    assertThat(policy.limits()).containsExactly(BURST, DAILY);
    assertThat(policy.withLimits(List.of(PRO)).limits()).containsExactly(PRO);
    assertThat(Policy.of("api", BURST, DAILY).limits()).containsExactly(BURST, DAILY);
    assertThat(Policy.of("api").limits()).isEmpty();
    assertThat(Policy.named("api").withLimits("5/1s", "1000/1d sliding-counter").limits())
        .containsExactly(BURST, DAILY);
  }

  @Test
  void neverChanges() {
    Policy empty = Policy.named("api");
    List<Limit> list = new ArrayList<>(List.of(BURST));
    Policy policy = empty.withLimits(list);
    Policy more = policy.withLimit(DAILY);
    Policy tiered = policy.withTiers(key -> List.of(PRO));
    list.add(DAILY);

    assertThat(empty.limits()).isEmpty();
    assertThat(policy.limits()).containsExactly(BURST);
    assertThat(policy.isTiered()).isFalse();
    assertThat(more.limits()).containsExactly(BURST, DAILY);
    assertThat(tiered.isTiered()).isTrue();
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> policy.limits().add(DAILY));
  }

  @Test
  void refusesTwoLimitsOfWhichOneCouldNeverDecide() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.of("api", BURST, DAILY, PRO))
        .withMessage(
            "limits of policy 'api' must differ in algorithm, window or cells,"
                + " were 5/1s sliding-log and 50/1s sliding-log");
    assertThatIllegalArgumentException().isThrownBy(() -> Policy.of("api", BURST, BURST));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.of("api", BURST).withLimit(PRO))
        .withMessageContaining("policy 'api'");
    assertThat(Policy.of("api", BURST, PRO.withCells(10)).limits()).hasSize(2);
  }

  @Test
  void choosesTheLimitsOfTheKeysTier() {
    Policy policy =
        Policy.of("api", BURST).withTiers(key -> key.startsWith("pro:") ? List.of(PRO) : List.of());

    assertThat(policy.limitsFor("pro:1")).containsExactly(PRO);
    assertThat(policy.limitsFor("free:1")).containsExactly(BURST);
    assertThat(Policy.of("api", BURST, DAILY).limitsFor("any")).containsExactly(BURST, DAILY);
  }

  @Test
  @SuppressWarnings("NullAway") // a careless lambda may return null
  void takesNoTierForThePolicysOwnLimits() {
    assertThat(Policy.of("api", BURST).withTiers(key -> null).limitsFor("k"))
        .containsExactly(BURST);
  }

  @Test
  void neverLeavesAKeyUnlimited() {
    assertThatIllegalStateException()
        .isThrownBy(() -> Policy.named("api").limitsFor("k"))
        .withMessage("policy 'api' has no limit");
    assertThatIllegalStateException()
        .isThrownBy(() -> Policy.named("api").withTiers(key -> List.of()).limitsFor("k"))
        .withMessage("policy 'api' has no limit for this key's tier");
  }

  @Test
  void checksTheLimitsOfTiersToo() {
    Policy policy = Policy.named("api").withTiers(key -> List.of(BURST, PRO));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> policy.limitsFor("k"))
        .withMessageContaining("must differ in algorithm, window or cells");
  }

  @Test
  void keepsItsTiersWhenItsLimitsChange() {
    Policy policy = Policy.of("api", BURST).withTiers(key -> List.of(PRO)).withLimit(DAILY);

    assertThat(policy.isTiered()).isTrue();
    assertThat(policy.limitsFor("k")).containsExactly(PRO);
  }

  @Test
  void losesItsTiers() {
    Policy policy = Policy.of("api", BURST).withTiers(key -> List.of(PRO)).withoutTiers();

    assertThat(policy.isTiered()).isFalse();
    assertThat(policy.limitsFor("k")).containsExactly(BURST);
  }

  @Test
  void describesItself() {
    Policy policy = Policy.of("api", BURST, DAILY);

    assertThat(policy).hasToString("api [5/1s sliding-log, 1000/1d sliding-counter]");
    assertThat(policy.withTiers(key -> List.of()))
        .hasToString("api [5/1s sliding-log, 1000/1d sliding-counter] and tiers");
  }

  @Test
  void anInternalNameIsOneThatNoPolicyOfAUserCanHave() {
    assertThat(Policy.internal("ad-hoc").name()).isEqualTo("_ad-hoc");
    assertThatIllegalArgumentException().isThrownBy(() -> Policy.named("_ad-hoc"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.internal("x".repeat(64)))
        .withMessage("internal policy name must have 1 to 63 characters, had 64");
  }

  @Test
  void theGraceIsBoundedAndSurvivesOtherChanges() {
    Policy strict = Policy.named("api").withGrace(Duration.ZERO);
    assertThat(Policy.named("api").grace()).isEqualTo(Duration.ofSeconds(1));
    assertThat(
            strict
                .withLimits("5/1s")
                .withTiers(key -> List.of())
                .withoutTiers()
                .onFailure(FailureRule.OPEN)
                .withDeadline(Duration.ofMillis(5))
                .grace())
        .isZero();
    for (Duration wrong : List.of(Duration.ofNanos(-1), Duration.ofMinutes(1).plusNanos(1))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> strict.withGrace(wrong))
          .withMessage("grace must be at least 0 and at most PT1M, was " + wrong);
    }
  }
}
