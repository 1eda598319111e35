package dev.sash.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Algorithm;
import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.address.IpAddress;
import dev.sash.config.envoy.RlsCharging;
import dev.sash.config.envoy.RlsConfig;
import dev.sash.config.policy.AccessList;
import dev.sash.config.policy.ChargeRule;
import dev.sash.config.policy.Cost;
import dev.sash.config.policy.Mode;
import dev.sash.config.policy.PolicyConfig;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class NativeFormTest {
  private static Configuration parse(String text) {
    return Configuration.parse(text, "sash.yaml");
  }

  /** A policy that says a limit and one thing more. */
  private static PolicyConfig policy(String entry) {
    return parse("policies:\n  p:\n    limit: 5/s\n    " + entry + "\n").policies().get("p");
  }

  private static Limit limit(String value) {
    return parse("policies: {p: {limit: " + value + "}}")
        .policies()
        .get("p")
        .policy()
        .limits()
        .get(0);
  }

  @Test
  void readsEverythingThatAFileMaySay() {
    Configuration read =
        parse(
            """
            policies:
              default:
                limit: 100/1m
              search:
                limits: [30/1m, {permits: 1000, window: 1d, algorithm: sliding-counter}]
                key: [ip, path]
                tiers:
                  pro: 600/1m
                  gold: [50/s, 10000/1d]
                tier-by: plan
                cost: {attribute: size, default: 2, most: 100}
                on-failure: closed
                deadline: 20ms
                mode: shadow
                charge: always
                allow: [10.0.0.0/8, "user:admin"]
                deny: [192.0.2.7]
            trusted-proxies: [127.0.0.1]
            forwarded-by: nginx
            deny-status: 401
            ad-hoc-limits: true
            rls:
              charge: each
              charge-always: [tokens, bytes]
              algorithm: fixed-window
              refunds: true
            """);

    assertThat(read.policies()).containsOnlyKeys("default", "search");
    assertThat(read.adHocLimits()).isTrue();
    assertThat(read.proxies().trusted()).hasToString("[127.0.0.1/32]");
    assertThat(read.proxies().forwardedBy()).isEqualTo(ForwardedBy.NGINX);
    assertThat(read.proxies().denyStatus()).isEqualTo(401);
    assertThat(read.rls())
        .isEqualTo(
            new RlsConfig(
                RlsCharging.EACH, Algorithm.FIXED_WINDOW, true, Set.of("tokens", "bytes")));
    assertThat(read.domains()).isEmpty();
    PolicyConfig search = read.policies().get("search");
    assertThat(search.policy().limits())
        .containsExactly(
            Limit.slidingLog(30, Duration.ofMinutes(1)),
            Limit.slidingCounter(1000, Duration.ofDays(1)));
    assertThat(search.policy().failureRule()).isEqualTo(FailureRule.CLOSED);
    assertThat(search.policy().deadline()).isEqualTo(Duration.ofMillis(20));
    assertThat(search.mode()).isEqualTo(Mode.SHADOW);
    assertThat(search.charge()).isEqualTo(ChargeRule.ALWAYS);
    assertThat(search.keyAttributes()).containsExactly("ip", "path");
    assertThat(search.tierAttribute()).isEqualTo("plan");
    assertThat(search.tiers()).containsOnlyKeys("pro", "gold");
    assertThat(search.tiers().get("gold"))
        .containsExactly(Limit.parse("50/s"), Limit.parse("10000/1d"));
    assertThat(search.cost()).isEqualTo(new Cost(2, "size", 100));
    assertThat(search.allow().keys()).containsExactly("user:admin");
    assertThat(search.allow().contains("ann", IpAddress.parse("10.1.2.3"))).isTrue();
    assertThat(search.deny().contains("ann", IpAddress.parse("192.0.2.7"))).isTrue();
    assertThat(search.deny().contains("ann", IpAddress.parse("192.0.2.8"))).isFalse();
  }

  @Test
  void whatIsNotSaidIsAsWithoutAFile() {
    Configuration read = parse("policies: {default: {limit: 100/1m}}");
    Configuration expected = Configuration.byDefault();

    assertThat(read)
        .usingRecursiveComparison()
        .ignoringFields("proxies.trusted")
        .isEqualTo(expected);
    assertThat(read.proxies().trusted()).hasToString("[]");
  }

  @Test
  void policiesKeepTheirOrder() {
    assertThat(parse("policies: {z: {limit: 1/s}, a: {limit: 1/s}, m: {limit: 1/s}}").policies())
        .extractingFromEntries(Map.Entry::getKey)
        .containsExactly("z", "a", "m");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          100/1m                                                       | 100/1m sliding-log
          '"5/s"'                                                      | 5/1s sliding-log
          1_000 per 1h sliding-counter                                 | 1000/1h sliding-counter
          {permits: 5, window: s}                                      | 5/1s sliding-log
          {permits: 1_000_000, window: 1d, cells: 288}                 | 1000000/1d sliding-log cells=288
          {permits: "7", window: 2 weeks, algorithm: fixed-window}     | 7/14d fixed-window
          {permits: 50, window: 1s, algorithm: token-bucket, capacity: 200} | 50/1s token-bucket capacity=200
          {permits: 5, window: 1s, cells: 0, capacity: 5}              | 5/1s sliding-log
          {permits: 1000000000, window: 366d}                          | 1000000000/366d sliding-log
          {permits: 1, window: 1ms}                                    | 1/1ms sliding-log
          """)
  void readsLimitsInBothForms(String yaml, String shorthand) {
    assertThat(limit(yaml)).hasToString(shorthand);
  }

  @Test
  void oneLimitOfATierNeedsNoListAndMayBeLong() {
    assertThat(policy("tiers: {pro: {permits: 7, window: 1s}}").tiers().get("pro"))
        .containsExactly(Limit.parse("7/s"));
    assertThat(policy("tiers: {pro: 7/s}").tierAttribute()).isEqualTo("tier");
  }

  /** {@code off} is a word here, as in YAML 1.2, and no boolean. */
  @ParameterizedTest
  @EnumSource(Mode.class)
  void readsModes(Mode mode) {
    assertThat(policy("mode: " + mode.id()).mode()).isEqualTo(mode);
    assertThat(policy("mode: \"" + mode.id() + "\"").mode()).isEqualTo(mode);
  }

  @ParameterizedTest
  @CsvSource({"open, OPEN", "closed, CLOSED", "local, LOCAL"})
  void readsFailureRules(String text, FailureRule rule) {
    assertThat(policy("on-failure: " + text).policy().failureRule()).isEqualTo(rule);
  }

  @ParameterizedTest
  @CsvSource({"1ms, PT0.001S", "50ms, PT0.05S", "1m, PT1M", "2 seconds, PT2S"})
  void readsDeadlines(String text, Duration deadline) {
    assertThat(policy("deadline: " + text).policy().deadline()).isEqualTo(deadline);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ip", "header:x-api-key", "a.b_c-d:9"})
  void readsOneAttributeAsKey(String attribute) {
    assertThat(policy("key: " + attribute).keyAttributes()).containsExactly(attribute);
    assertThat(policy("key: [" + attribute + "]").keyAttributes()).containsExactly(attribute);
  }

  @Test
  void readsCosts() {
    assertThat(policy("cost: 1").cost()).isEqualTo(Cost.ONE);
    assertThat(policy("cost: 0").cost()).isEqualTo(new Cost(0, null, 1));
    assertThat(policy("cost: 1_000").cost()).isEqualTo(new Cost(1000, null, 1000));
    assertThat(policy("cost: {attribute: size}").cost())
        .isEqualTo(new Cost(1, "size", 1_000_000_000));
    assertThat(policy("cost: {attribute: size, default: 3}").cost().permits()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "none, NONE, 429",
    "nginx, NGINX, 403",
    "traefik, TRAEFIK, 429",
    "caddy, CADDY, 429",
    "envoy, ENVOY, 429"
  })
  void readsWhichProxyIsBelievedAndDeniesAsItUnderstands(
      String text, ForwardedBy proxy, int denyStatus) {
    Configuration read =
        parse(
            "policies: {p: {limit: 1/s}}\ntrusted-proxies: 127.0.0.1\nforwarded-by: "
                + text
                + "\n");

    assertThat(read.proxies().forwardedBy()).isEqualTo(proxy);
    assertThat(read.proxies().denyStatus()).isEqualTo(denyStatus);
  }

  @Test
  void whatIsNoNetworkIsAKey() {
    AccessList allow =
        policy("allow: [\"::1\", 2001:db8::/32, 10.1.2.3, user:1, 42, true, '1.2.3', a/b]").allow();

    assertThat(allow.keys()).containsExactlyInAnyOrder("user:1", "42", "true", "1.2.3", "a/b");
    assertThat(allow.networks()).hasToString("[10.1.2.3/32, 2001:db8::/32, ::1/128]");
    assertThat(policy("deny: 10.0.0.0/8").deny().networks()).hasToString("[10.0.0.0/8]");
  }

  @Test
  void aliasesRepeatWhatTheyStandFor() {
    Configuration read =
        parse(
            """
            policies:
              a: {limit: &slow 5/1m, tiers: &tiers {pro: 50/1m}}
              b: {limit: *slow, tiers: *tiers}
            """);

    assertThat(read.policies().get("b").policy().limits()).containsExactly(Limit.parse("5/1m"));
    assertThat(read.policies().get("b").tiers()).containsOnlyKeys("pro");
  }

  @Test
  void readsWhatEditorsPutAround() {
    String text = "\uFEFF%YAML 1.2\r\n---\r\n# a comment\r\npolicies: {p: {limit: 1/s}}\r\n...\r\n";

    assertThat(parse(text).policies()).containsKey("p");
    assertThat(parse("{\"policies\": {\"p\": {\"limit\": \"1/s\"}}}").policies()).containsKey("p");
  }

  @Test
  void limitsMadeUpByRequestsNeedNoPolicy() {
    assertThat(parse("ad-hoc-limits: true").policies()).isEmpty();
  }

  @Test
  void tenThousandPoliciesAreRead() {
    StringBuilder text = new StringBuilder("policies:\n");
    for (int i = 0; i < Draft.MOST_POLICIES; i++) {
      text.append("  p").append(i).append(": {limit: 1/s}\n");
    }

    assertThat(parse(text.toString()).policies()).hasSize(Draft.MOST_POLICIES);
  }
}
