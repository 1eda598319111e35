package dev.sash.server.rls.domain;

import static dev.sash.server.rls.domain.EnvoyFiles.any;
import static dev.sash.server.rls.domain.EnvoyFiles.minutely;
import static dev.sash.server.rls.domain.EnvoyFiles.named;
import static dev.sash.server.rls.domain.EnvoyFiles.one;
import static dev.sash.server.rls.domain.EnvoyFiles.shadow;
import static dev.sash.server.rls.domain.EnvoyFiles.shop;
import static dev.sash.server.rls.domain.EnvoyFiles.unlimited;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.config.Configuration;
import dev.sash.config.envoy.EnvoyDomain;
import dev.sash.config.envoy.EnvoyLimit;
import dev.sash.config.envoy.RlsCharging;
import dev.sash.config.policy.PolicyConfig;
import dev.sash.memory.InMemoryStore;
import dev.sash.micrometer.SashMeters;
import dev.sash.server.engine.CheckRequest;
import dev.sash.server.engine.Engine;
import dev.sash.server.rls.counter.TimeLimit;
import dev.sash.server.rls.wire.InvalidRequestException;
import dev.sash.server.rls.wire.RlsRequest;
import dev.sash.server.rls.wire.RlsRequest.Descriptor;
import dev.sash.server.rls.wire.RlsResponse;
import dev.sash.server.rls.wire.RlsStatus;
import dev.sash.server.rls.wire.RlsStatus.CurrentLimit;
import dev.sash.testkit.ManualClock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Decisions by files of Envoy's form, on a clock that is moved by hand. */
class DeciderTest {
  private static final int MINUTE = 2;

  private final ManualClock clock = new ManualClock();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private Engine engine;
  private Decider decider;

  private void configure(Configuration configuration) {
    InMemoryStore store = InMemoryStore.builder().clock(clock).build();
    engine = new Engine(new SashMeters(registry).instrument(store), "memory", configuration);
    decider = new Decider(engine, Duration.ofSeconds(1), new DescriptorMeters(registry));
  }

  /** Entries such as {@code user=ann path=/x}. */
  private static Descriptor descriptor(String entries) {
    return descriptor(entries, null, null, false);
  }

  private static Descriptor descriptor(
      String entries, RlsRequest.OwnLimit limit, Long hits, boolean negative) {
    return new Descriptor(EnvoyFiles.entries(entries), limit, hits, negative);
  }

  private static Descriptor costing(String entries, long hits) {
    return descriptor(entries, null, hits, false);
  }

  private static Descriptor givingBack(String entries, long hits) {
    return descriptor(entries, null, hits, true);
  }

  private List<RlsStatus> ask(long hits, Descriptor... descriptors) {
    return response(hits, descriptors).statuses();
  }

  private RlsResponse response(long hits, Descriptor... descriptors) {
    RlsRequest request = new RlsRequest("shop", List.of(descriptors), hits);
    return decider.decide(request, TimeLimit.NONE).toCompletableFuture().join();
  }

  private RlsStatus ask(Descriptor descriptor) {
    return ask(0, descriptor).get(0);
  }

  private RlsStatus ask(String entries) {
    return ask(descriptor(entries));
  }

  private List<Boolean> overLimit(String... entries) {
    Descriptor[] descriptors = new Descriptor[entries.length];
    for (int i = 0; i < entries.length; i++) {
      descriptors[i] = descriptor(entries[i]);
    }
    return ask(0, descriptors).stream().map(RlsStatus::overLimit).toList();
  }

  private long remaining(String entries) {
    return ask(costing(entries, 0)).remaining();
  }

  @Test
  void tellsTheLimitWhatIsLeftAndHowLongToWait() {
    configure(shop(any("user", named("per-user", 2))));
    CurrentLimit limit = new CurrentLimit(2, MINUTE, "per-user");
    Duration minute = Duration.ofMinutes(1);

    assertThat(ask("user=ann")).isEqualTo(new RlsStatus(false, limit, 1, minute));
    clock.advance(Duration.ofSeconds(20));
    assertThat(ask("user=ann")).isEqualTo(new RlsStatus(false, limit, 0, minute));
    assertThat(ask("user=ann")).isEqualTo(new RlsStatus(true, limit, 0, Duration.ofSeconds(40)));
    assertThat(ask("user=bob").overLimit()).isFalse();
    clock.advance(Duration.ofSeconds(40));
    assertThat(ask("user=ann").overLimit()).isFalse();
  }

  @Test
  void eachValueHasCountsOfItsOwnAlsoWhereAnAsteriskMatches() {
    configure(shop(one("path", "/a*", minutely(1))));

    assertThat(overLimit("path=/a1")).containsExactly(false);
    assertThat(overLimit("path=/a2")).containsExactly(false);
    assertThat(overLimit("path=/a1")).containsExactly(true);
  }

  @Test
  void keysThatLookAlikeWhenJoinedAreNotTheSame() {
    configure(
        shop(any("a", minutely(1), any("b", minutely(1))), any("a|b", minutely(1), any("", null))));

    assertThat(overLimit("a=x|b|y")).containsExactly(false);
    assertThat(overLimit("a=x b=y")).containsExactly(false);
    assertThat(overLimit("a|b=x")).containsExactly(false);
    assertThat(overLimit("a=b|x")).containsExactly(false);
  }

  @Test
  void keysOfAnyLengthAreCounted() {
    configure(shop(any("user", minutely(1))));
    for (int length : new int[] {900, 960, 980, 1000, 1010, 1024, 5000}) {
      String user = "user=" + "x".repeat(length);
      assertThat(overLimit(user)).containsExactly(false);
      assertThat(overLimit(user)).containsExactly(true);
      assertThat(overLimit(user.substring(0, user.length() - 1) + "y")).containsExactly(false);
    }
  }

  @Test
  void whatMatchesNothingAndDomainsThatNobodyKnowsAreNotLimited() {
    configure(shop(any("user", minutely(1))));

    assertThat(ask("path=/")).isEqualTo(RlsStatus.UNMATCHED);
    RlsRequest other =
        new RlsRequest("nobody", List.of(descriptor("user=ann", limit(0, 1), null, false)), 1);
    assertThat(decider.decide(other, TimeLimit.NONE).toCompletableFuture().join().statuses())
        .containsExactly(RlsStatus.UNMATCHED);
  }

  @Test
  void unlimitedIsAdmittedWithoutEnd() {
    configure(shop(any("user", minutely(1)), one("user", "root", unlimited())));
    for (int i = 0; i < 5; i++) {
      assertThat(ask("user=root")).isEqualTo(new RlsStatus(false, null, 0xffff_ffffL, null));
    }
  }

  @Test
  void aLimitOfZeroDeniesAlwaysAndTellsNoWait() {
    configure(shop(any("user", minutely(0))));
    RlsStatus denied = new RlsStatus(true, new CurrentLimit(0, MINUTE, ""), 0, null);

    assertThat(ask("user=ann")).isEqualTo(denied);
    assertThat(ask(costing("user=ann", 0))).isEqualTo(denied);
    assertThat(ask(givingBack("user=ann", 1)).overLimit()).isFalse();
  }

  private static RlsRequest.OwnLimit limit(long requests, int unit) {
    return new RlsRequest.OwnLimit(requests, unit);
  }

  @Test
  void aLimitThatComesWithTheRequestHoldsInPlaceOfTheFile() {
    configure(shop(any("user", minutely(100)), shadow("watched", minutely(100))));
    Descriptor two = descriptor("user=ann", limit(2, MINUTE), null, false);

    assertThat(ask(two).currentLimit()).isEqualTo(new CurrentLimit(2, MINUTE, ""));
    assertThat(remaining("user=ann")).as("the same counts").isEqualTo(99);
    assertThat(ask(two).overLimit()).isFalse();
    assertThat(ask(two).overLimit()).isTrue();
    Descriptor hourly = descriptor("user=ann", limit(2, 3), null, false);
    assertThat(ask(hourly).remaining()).as("another window, other counts").isEqualTo(1);
    assertThat(ask(descriptor("nothing=here", limit(0, 1), null, false)).overLimit()).isTrue();
    assertThat(ask(descriptor("watched=x", limit(0, 1), null, false)).overLimit()).isTrue();
  }

  @Test
  void aLimitWithoutAUnitIsRefused() {
    configure(shop());
    for (int unit : new int[] {0, 8, -1}) {
      assertThatThrownBy(() -> ask(descriptor("user=ann", limit(5, unit), null, false)))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessage("unit of limit must be between 1 and 7, was " + unit);
    }
  }

  @Test
  void aRequestCostsWhatTheDescriptorSaysOrElseWhatItSaysItselfOrElseOne() {
    configure(shop(any("user", minutely(100))));

    assertThat(ask(0, descriptor("user=a")).get(0).remaining()).isEqualTo(99);
    assertThat(ask(10, descriptor("user=b")).get(0).remaining()).isEqualTo(90);
    assertThat(ask(10, costing("user=c", 3)).get(0).remaining()).isEqualTo(97);
    assertThat(ask(10, costing("user=d", 0)).get(0).remaining()).isEqualTo(100);
    assertThat(ask(10, costing("user=e", 101)).get(0).overLimit()).isTrue();
  }

  @Test
  void hugeNumbersCountAsTheLargestThereIs() {
    configure(shop(any("user", minutely(4_000_000_000L)), any("few", minutely(10))));

    assertThat(ask(costing("few=a", -1)).overLimit()).as("2^64 - 1").isTrue();
    assertThat(ask(costing("user=a", 3_000_000_000L)).overLimit()).isFalse();
    assertThat(ask("user=a").overLimit()).isTrue();
    assertThat(ask("user=b").currentLimit()).isEqualTo(new CurrentLimit(4_000_000_000L, 2, ""));
    assertThat(ask(givingBack("user=a", -1)).remaining()).isEqualTo(1_000_000_000);
  }

  @Test
  void costingNothingAsksWhetherThereIsRoom() {
    configure(shop(any("user", minutely(1))));

    assertThat(ask(costing("user=ann", 0)).overLimit()).isFalse();
    ask("user=ann");
    clock.advance(Duration.ofSeconds(20));
    RlsStatus full = ask(costing("user=ann", 0));
    assertThat(full.overLimit()).isTrue();
    assertThat(full.untilReset()).isEqualTo(Duration.ofSeconds(40));
  }

  @Test
  void negativeHitsGiveBackButNeverBelowZero() {
    configure(shop(any("user", minutely(5))));
    ask(4, descriptor("user=ann"));

    assertThat(ask(givingBack("user=ann", 3)).remaining()).isEqualTo(4);
    assertThat(ask(givingBack("user=ann", 100)).remaining()).isEqualTo(5);
    assertThat(ask(givingBack("user=bob", 1)).overLimit()).isFalse();
    assertThat(remaining("user=bob")).isEqualTo(5);
  }

  @Test
  void shadowModeCountsAndAdmits() {
    configure(shop(shadow("user", minutely(1)), any("path", minutely(10))));
    ask("user=ann");

    List<RlsStatus> statuses = ask(0, descriptor("user=ann"), descriptor("path=/"));

    assertThat(statuses).extracting(RlsStatus::overLimit).containsExactly(false, false);
    assertThat(statuses.get(0).currentLimit()).isEqualTo(new CurrentLimit(1, MINUTE, ""));
    assertThat(statuses.get(0).remaining()).isZero();
    assertThat(statuses.get(0).untilReset()).isEqualTo(Duration.ofMinutes(1));
    assertThat(remaining("path=/")).as("charged all the same").isEqualTo(9);
  }

  @Test
  void aLimitReplacesOthersInTheSameRequestOnly() {
    configure(
        shop(
            any("user", named("per-user", 1)),
            any("path", named("per-path", 1)),
            any("vip", named("vip", 10, "per-user", "nobody")),
            one("vip", "boss", new EnvoyLimit(0, null, true, "vip", List.of("per-path", "vip")))));

    List<RlsStatus> statuses =
        ask(0, descriptor("user=ann"), descriptor("path=/"), descriptor("vip=ann"));
    assertThat(statuses.get(0)).as("replaced").isEqualTo(RlsStatus.UNMATCHED);
    assertThat(statuses.get(1).currentLimit()).isEqualTo(new CurrentLimit(1, MINUTE, "per-path"));
    assertThat(statuses.get(2).remaining()).isEqualTo(9);
    assertThat(overLimit("user=ann")).as("not charged before").containsExactly(false);
    assertThat(overLimit("user=ann")).containsExactly(true);
    assertThat(ask(0, descriptor("path=/"), descriptor("vip=boss"), descriptor("vip=ann")))
        .as("unlimited replaces too")
        .containsExactly(RlsStatus.UNMATCHED, RlsStatus.UNLIMITED, RlsStatus.UNMATCHED);
  }

  @Test
  void allAreChargedOrNone() {
    configure(shop(any("user", minutely(5)), any("path", minutely(1)), any("ip", minutely(5))));
    ask("path=/");

    assertThat(overLimit("user=ann", "path=/", "ip=1", "other=1"))
        .containsExactly(false, true, false, false);
    assertThat(remaining("user=ann")).isEqualTo(5);
    assertThat(remaining("ip=1")).isEqualTo(5);
  }

  @Test
  void afterADenialTheOthersAreLookedAtSoThatAllInTheWayAreTold() {
    configure(shop(any("user", minutely(5)), any("path", minutely(1)), any("ip", minutely(1))));
    ask("path=/");
    ask("ip=1");

    assertThat(overLimit("user=ann", "path=/", "ip=1")).containsExactly(false, true, true);
    assertThat(remaining("user=ann")).isEqualTo(5);
  }

  @Test
  void nothingIsGivenBackForARequestThatIsDenied() {
    configure(shop(any("user", minutely(5)), any("path", minutely(1))));
    ask(3, descriptor("user=ann"));
    ask("path=/");

    List<RlsStatus> statuses = ask(0, givingBack("user=ann", 2), descriptor("path=/"));
    assertThat(statuses).extracting(RlsStatus::overLimit).containsExactly(false, true);
    assertThat(remaining("user=ann")).isEqualTo(2);

    ask(0, givingBack("user=ann", 2), descriptor("path=/other"));
    assertThat(remaining("user=ann")).isEqualTo(4);
  }

  @Test
  void eachIsChargedWhateverTheOthersSayIfThatIsConfigured() {
    configure(
        shop(
            RlsCharging.EACH,
            any("user", minutely(5)),
            any("path", minutely(1)),
            any("ip", minutely(5))));
    ask("path=/");
    ask(2, descriptor("ip=2"));

    List<RlsStatus> statuses =
        ask(
            0,
            descriptor("user=ann"),
            descriptor("path=/"),
            descriptor("ip=1"),
            givingBack("ip=2", 1));

    assertThat(statuses)
        .extracting(RlsStatus::overLimit)
        .containsExactly(false, true, false, false);
    assertThat(remaining("user=ann")).isEqualTo(4);
    assertThat(remaining("ip=1")).isEqualTo(4);
    assertThat(remaining("ip=2")).isEqualTo(4);
  }

  @Test
  void theSameDescriptorTwiceIsChargedTwice() {
    configure(shop(any("user", minutely(3))));

    assertThat(overLimit("user=ann", "user=ann")).containsExactly(false, false);
    assertThat(overLimit("user=ann", "user=ann")).containsExactly(false, true);
    assertThat(remaining("user=ann")).isEqualTo(1);
  }

  @Test
  void anotherConfigurationHoldsFromTheNextRequestOnAndForgetsNothing() {
    configure(shop(any("user", minutely(5))));
    ask(4, descriptor("user=ann"));

    engine.apply(shop(any("user", minutely(10))));
    assertThat(remaining("user=ann")).isEqualTo(6);
    engine.apply(shop(any("user", minutely(3))));
    assertThat(ask("user=ann").overLimit()).isTrue();
    engine.apply(shop());
    assertThat(ask("user=ann")).isEqualTo(RlsStatus.UNMATCHED);
  }

  @Test
  void metersTellDomainsApartAndNamesThatFitNoPolicyShareOne() {
    configure(
        EnvoyFiles.configuration(
            RlsCharging.ALL_OR_NOTHING,
            false,
            List.of(
                new EnvoyDomain("shop", List.of(any("user", minutely(5)))),
                new EnvoyDomain("a shop/1", List.of(any("user", minutely(1)))),
                new EnvoyDomain("a shop/2", List.of(any("user", minutely(1)))))));
    ask("user=ann");
    for (String domain : List.of("a shop/1", "a shop/2")) {
      RlsRequest request = new RlsRequest(domain, List.of(descriptor("user=ann")), 1);
      assertThat(decider.decide(request, TimeLimit.NONE).toCompletableFuture().join().overLimit())
          .isFalse();
    }

    assertThat(decisions("_rls.shop")).isEqualTo(1);
    assertThat(decisions("_rls")).isEqualTo(2);
  }

  @Test
  void aPolicyNamedLikeTheOneOfADomainDoesNotShareItsState() {
    configure(
        EnvoyFiles.configuration(
            RlsCharging.ALL_OR_NOTHING,
            false,
            List.of(new EnvoyDomain("shop", List.of(any("user", minutely(5))))),
            PolicyConfig.of(Policy.of("rls.shop", Limit.slidingLog(5, Duration.ofMinutes(1))))));
    // The key that the domain makes of the descriptor.
    String key = "(shop|user|ann)";
    for (int i = 0; i < 5; i++) {
      engine.check(CheckRequest.of("rls.shop", key, 1L)).toCompletableFuture().join();
    }

    assertThat(ask("user=ann").remaining()).isEqualTo(4);
    assertThat(decisions("rls.shop")).isEqualTo(5);
    assertThat(decisions("_rls.shop")).isEqualTo(1);
  }

  @Test
  void theLongestValueIsAccepted() {
    configure(shop(any("user", minutely(5))));
    String longest = "x".repeat(1_024);

    assertThat(ask("user=" + longest).remaining()).isEqualTo(4);
    assertThat(ask("user=" + longest).remaining()).isEqualTo(3);
    assertThat(ask("user=" + longest + "x").remaining()).isEqualTo(4);
  }

  private double decisions(String policy) {
    return registry.find("sash.decisions").tag("policy", policy).counters().stream()
        .mapToDouble(Counter::count)
        .sum();
  }
}
