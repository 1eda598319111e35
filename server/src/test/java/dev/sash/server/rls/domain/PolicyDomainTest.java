package dev.sash.server.rls.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.address.AddressRanges;
import dev.sash.config.envoy.EnvoyDomain;
import dev.sash.config.envoy.RlsCharging;
import dev.sash.config.policy.AccessList;
import dev.sash.config.policy.ChargeRule;
import dev.sash.config.policy.Cost;
import dev.sash.config.policy.Mode;
import dev.sash.config.policy.PolicyConfig;
import dev.sash.memory.InMemoryStore;
import dev.sash.server.engine.CheckRequest;
import dev.sash.server.engine.Engine;
import dev.sash.server.rls.counter.TimeLimit;
import dev.sash.server.rls.wire.InvalidRequestException;
import dev.sash.server.rls.wire.RlsRequest;
import dev.sash.server.rls.wire.RlsRequest.Descriptor;
import dev.sash.server.rls.wire.RlsRequest.Entry;
import dev.sash.server.rls.wire.RlsStatus;
import dev.sash.server.rls.wire.RlsStatus.CurrentLimit;
import dev.sash.testkit.ManualClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Policies as domains. */
class PolicyDomainTest {
  private Engine engine;
  private Decider decider;

  private void configure(boolean adHoc, List<EnvoyDomain> domains, PolicyConfig policy) {
    InMemoryStore store = InMemoryStore.builder().clock(new ManualClock()).build();
    engine =
        new Engine(
            store,
            "memory",
            EnvoyFiles.configuration(RlsCharging.ALL_OR_NOTHING, adHoc, domains, policy));
    decider =
        new Decider(engine, Duration.ofSeconds(1), new DescriptorMeters(new SimpleMeterRegistry()));
  }

  private void configure(PolicyConfig policy) {
    configure(false, List.of(), policy);
  }

  private static PolicyConfig policy(String limit, Mode mode, String... keyAttributes) {
    return new PolicyConfig(
        Policy.of("api", Limit.parse(limit)),
        mode,
        ChargeRule.IF_ALLOWED,
        List.of(keyAttributes),
        "plan",
        Map.of("pro", List.of(Limit.parse("100/1m"))),
        new Cost(7, null, 7),
        new AccessList(Set.of("user:root"), AddressRanges.NONE),
        new AccessList(Set.of("user:mallory"), AddressRanges.of("192.0.2.0/24")));
  }

  private RlsStatus ask(RlsRequest.OwnLimit limit, Long hits, boolean negative, String... pairs) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < pairs.length; i += 2) {
      entries.add(new Entry(pairs[i], pairs[i + 1]));
    }
    Descriptor descriptor = new Descriptor(entries, limit, hits, negative);
    RlsRequest request = new RlsRequest("api", List.of(descriptor), 0);
    return decider.decide(request, TimeLimit.NONE).toCompletableFuture().join().statuses().get(0);
  }

  private RlsStatus ask(String... pairs) {
    return ask(null, null, false, pairs);
  }

  /** What the engine has counted for a key, over any protocol. */
  private long used(String key) {
    return engine
        .check(CheckRequest.of("api", key, 0L))
        .toCompletableFuture()
        .join()
        .decision()
        .used();
  }

  @Test
  void theEntriesAreTheKeyAndHitsArePermits() {
    configure(policy("10/1m", Mode.ENFORCE));

    assertThat(ask("user", "ann"))
        .isEqualTo(new RlsStatus(false, new CurrentLimit(10, 2, "api"), 9, Duration.ofMinutes(1)));
    ask(null, 3L, false, "user", "ann");
    assertThat(used("user:ann")).isEqualTo(4);
    ask(null, 2L, true, "user", "ann");
    assertThat(used("user:ann")).isEqualTo(2);

    ask("user", "ann", "path", "/x|y");
    assertThat(used("(user:ann|path:/x\\|y)")).isEqualTo(1);
    ask("a:b", "c");
    assertThat(used("a\\:b:c")).isEqualTo(1);
    assertThat(used("a:b:c")).isZero();
  }

  @Test
  void anEntryNamedKeyIsTheKey() {
    configure(policy("10/1m", Mode.ENFORCE, "ip"));

    ask("tenant", "7", "key", "user:ann");
    assertThat(used("user:ann")).isEqualTo(1);
    String huge = "x".repeat(2_000);
    assertThat(ask("key", huge).remaining()).isEqualTo(9);
    assertThat(ask("key", huge).remaining()).isEqualTo(8);
  }

  @Test
  void thePolicyMakesTheKeyOfItsAttributesAndKnowsEnvoysNameOfTheAddress() {
    configure(policy("10/1m", Mode.ENFORCE, "ip"));

    ask("remote_address", "203.0.113.9", "path", "/");
    ask("ip", "203.0.113.9");
    assertThat(used("ip:203.0.113.9")).isEqualTo(2);
    assertThatThrownBy(() -> ask("path", "/"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("attribute 'ip' must be given");
    assertThatThrownBy(() -> ask("remote_address", "nowhere"))
        .hasMessage("attribute 'ip' must be an IP address");
  }

  @Test
  void theTierIsToldByItsAttributeAndIsNoPartOfTheKey() {
    configure(policy("10/1m", Mode.ENFORCE));

    assertThat(ask("user", "ann").remaining()).isEqualTo(9);
    assertThat(ask("plan", "pro", "user", "ann").remaining()).isEqualTo(98);
    assertThatThrownBy(() -> ask("plan", "pro"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("a descriptor must have an entry beside 'plan'");
  }

  @Test
  void listsHold() {
    configure(policy("1/1m", Mode.ENFORCE));
    for (int i = 0; i < 3; i++) {
      assertThat(ask("user", "root").overLimit()).isFalse();
    }
    assertThat(ask("user", "mallory").overLimit()).isTrue();
    assertThat(ask("user", "ann", "ip", "192.0.2.7").overLimit()).isTrue();
  }

  @Test
  void modesHold() {
    configure(policy("1/1m", Mode.SHADOW));
    ask("user", "ann");
    assertThat(ask("user", "ann").overLimit()).isFalse();
    assertThat(ask("user", "ann").remaining()).isZero();

    configure(policy("1/1m", Mode.OFF));
    ask("user", "ann");
    assertThat(ask("user", "ann").overLimit()).isFalse();
    assertThat(ask("user", "ann").remaining()).isEqualTo(1);
  }

  @Test
  void aWindowForWhichEnvoyHasNoUnitIsToldWithoutOne() {
    configure(policy("10/30s", Mode.ENFORCE));

    assertThat(ask("user", "ann").currentLimit()).isEqualTo(new CurrentLimit(10, 0, "api"));
  }

  @Test
  void limitsThatComeWithTheRequestHoldOnlyIfThatIsConfigured() {
    RlsRequest.OwnLimit one = new RlsRequest.OwnLimit(1, 2);
    configure(policy("10/1m", Mode.ENFORCE));
    assertThat(ask(one, null, false, "user", "ann").remaining()).isEqualTo(9);

    configure(true, List.of(), policy("10/1m", Mode.ENFORCE));
    assertThat(ask(one, null, false, "user", "ann").remaining()).isZero();
    assertThat(ask(one, null, false, "user", "ann").overLimit()).isTrue();
    assertThat(used("user:ann")).isZero();
  }

  @Test
  void theLongestKeyIsAcceptedUnderTiersAndOverrides() {
    String longest = "x".repeat(1_024);
    configure(true, List.of(), policy("10/1m", Mode.ENFORCE));

    assertThat(ask("key", longest).remaining()).isEqualTo(9);
    assertThat(ask("key", longest, "plan", "pro").remaining()).isEqualTo(98);
    assertThat(used(longest)).isEqualTo(2);
    assertThat(ask(new RlsRequest.OwnLimit(5, 2), null, false, "key", longest).remaining())
        .isEqualTo(4);
    assertThat(ask("user", longest).remaining()).isEqualTo(9);
    assertThat(used(longest)).isEqualTo(2);
  }

  @Test
  void aFileGoesBeforeAPolicyOfTheSameName() {
    EnvoyDomain file = new EnvoyDomain("api", List.of());
    configure(false, List.of(file), policy("1/1m", Mode.ENFORCE));

    assertThat(ask("user", "ann")).isEqualTo(RlsStatus.UNMATCHED);
  }
}
