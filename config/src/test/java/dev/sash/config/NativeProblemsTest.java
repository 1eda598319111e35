package dev.sash.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said about mistakes in Sash's own form, to the letter. */
class NativeProblemsTest {
  static final String POLICY_NAMES =
      "limit, limits, key, tiers, tier-by, cost, on-failure, deadline, mode, charge, allow, deny";

  static String messageFor(String text) {
    return catchThrowableOfType(
            ConfigurationException.class, () -> Configuration.parse(text, "sash.yaml"))
        .getMessage();
  }

  /** What may follow the limit of a policy, at column 5 of line 4, and what is said. */
  private static Stream<Arguments> entries() {
    String attribute =
        "must be an attribute: 1 to 64 of a-z 0-9 . _ : - such as ip or header:x-api-key, was ";
    String duration =
        "must be a whole number and a unit (us, ms, s, m, h, d, w), between 1ms and 1m, was ";
    String number = "must be a whole number between 0 and 1000000000, was ";
    String network =
        "must be networks such as 10.0.0.0/8 and keys; this looks like a network and is none:"
            + " is the address whole, and zero behind the prefix length?";
    return Stream.of(
        Arguments.of(
            "tires: {pro: 5/s}",
            "4:5: unknown name 'tires', allowed are " + POLICY_NAMES + "; did you mean 'tiers'?"),
        Arguments.of(
            "onFailure: open",
            "4:5: unknown name 'onFailure', allowed are "
                + POLICY_NAMES
                + "; did you mean 'on-failure'?"),
        Arguments.of("xyz: 1", "4:5: unknown name 'xyz', allowed are " + POLICY_NAMES),
        Arguments.of("limit: 6/s", "4:5: name 'limit' stands at line 3 already"),
        Arguments.of("limits: [6/s]", "4:5: limits must not stand beside limit: keep one of them"),
        Arguments.of("[a]: 1", "4:5: a name must be text, was a list or a mapping"),
        // modes and failure rules
        Arguments.of(
            "mode: shadwo",
            "4:11: mode must be one of enforce, shadow, off, was 'shadwo'; did you mean 'shadow'?"),
        Arguments.of(
            "mode: Off",
            "4:11: mode must be one of enforce, shadow, off, was 'Off'; did you mean 'off'?"),
        Arguments.of("mode:", "4:10: mode must be one of enforce, shadow, off, was nothing"),
        Arguments.of("mode: [off]", "4:11: mode must be one of enforce, shadow, off, was a list"),
        Arguments.of(
            "on-failure: off", "4:17: on-failure must be one of open, closed, local, was 'off'"),
        Arguments.of(
            "on-failure: ignore",
            "4:17: on-failure must be one of open, closed, local, was 'ignore'"),
        // deadlines
        Arguments.of("deadline: 50", "4:15: deadline " + duration + "'50'"),
        Arguments.of("deadline: 2m", "4:15: deadline " + duration + "'2m'"),
        Arguments.of("deadline: 10us", "4:15: deadline " + duration + "'10us'"),
        Arguments.of("deadline: {}", "4:15: deadline " + duration + "an empty mapping"),
        // keys
        Arguments.of(
            "key: header:X-Id",
            "4:10: key " + attribute + "'header:X-Id'; did you mean 'header:x-id'?"),
        Arguments.of("key: [ip, path info]", "4:15: key " + attribute + "'path info'"),
        Arguments.of("key: [ip, ip]", "4:15: key must not have an attribute twice, has 'ip'"),
        Arguments.of(
            "key: [" + "a,".repeat(17) + "]", "4:10: key must have at most 16 attributes, has 17"),
        Arguments.of("key: []", "4:10: key must not be an empty list: leave it out"),
        Arguments.of(
            "key: ~",
            "4:10: key must be an attribute: 1 to 64 of a-z 0-9 . _ : - such as ip or header:x-api-key, was nothing"),
        Arguments.of(
            "key: " + "a".repeat(65), "4:10: key " + attribute + "'" + "a".repeat(60) + "…'"),
        Arguments.of(
            "tier-by: plan", "4:5: tier-by must stand beside tiers: without them it says nothing"),
        // costs
        Arguments.of("cost: -1", "4:11: cost " + number + "'-1'"),
        Arguments.of("cost: 1.5", "4:11: cost " + number + "'1.5'"),
        Arguments.of("cost: 1e3", "4:11: cost " + number + "'1e3'"),
        Arguments.of("cost: 0x10", "4:11: cost " + number + "'0x10'"),
        Arguments.of("cost: 010", "4:11: cost " + number + "'010'"),
        Arguments.of("cost: 1000000001", "4:11: cost " + number + "'1000000001'"),
        Arguments.of(
            "cost: 99999999999999999999", "4:11: cost " + number + "'99999999999999999999'"),
        Arguments.of(
            "cost: -99999999999999999999", "4:11: cost " + number + "'-99999999999999999999'"),
        Arguments.of("cost: one", "4:11: cost " + number + "'one'"),
        Arguments.of("cost: {default: 1}", "4:11: cost must have attribute"),
        Arguments.of(
            "cost: {attribute: size, most: 0}",
            "4:35: most must be a whole number between 1 and 1000000000, was '0'"),
        Arguments.of(
            "cost: {attribute: size, most: 9, default: 10}",
            "4:47: default must be a whole number between 1 and 9, was '10'"),
        Arguments.of(
            "cost: {atribute: size, attribute: size}",
            "4:12: unknown name 'atribute', allowed are attribute, default, most; did you mean 'attribute'?"),
        // tiers
        Arguments.of(
            "tiers: {}",
            "4:12: tiers must be a mapping with a tier or more by name, was an empty mapping"),
        Arguments.of(
            "tiers: [5/s]",
            "4:12: tiers must be a mapping with a tier or more by name, was a list"),
        Arguments.of(
            "tiers: {'a b': 5/s}",
            "4:13: the name of a tier must be 1 to 64 of A-Z a-z 0-9 . _ : -"),
        Arguments.of(
            "tiers: {pro: []}", "4:18: tier 'pro' must have between 1 and 16 limits, has 0"),
        Arguments.of(
            "tiers: {pro: }",
            "4:17: tier 'pro' must be a limit such as 100/1m, or a mapping with permits and window, was nothing"),
        // access lists: never the entry itself
        Arguments.of("allow: [10.0.0.1/8]", "4:13: allow " + network),
        Arguments.of("allow: [10.0.0/8]", "4:13: allow " + network),
        Arguments.of("allow: [10.0.0.0/33]", "4:13: allow " + network),
        Arguments.of("deny: [ann, 300.0.0.1]", "4:17: deny " + network),
        Arguments.of("deny: ['2001:db8:::/32']", "4:12: deny " + network),
        Arguments.of("deny: ['']", "4:12: deny must have keys of 1 to 1024 bytes of UTF-8"),
        Arguments.of(
            "deny: [" + "ä".repeat(513) + "]",
            "4:12: deny must have keys of 1 to 1024 bytes of UTF-8"),
        Arguments.of(
            "deny: [[a]]", "4:12: deny must be a network such as 10.0.0.0/8, or a key, was a list"),
        Arguments.of("deny: []", "4:11: deny must not be an empty list: leave it out"));
  }

  @ParameterizedTest
  @MethodSource("entries")
  void saysWhatIsWrongWithAPolicy(String entry, String expected) {
    String text = "policies:\n  p:\n    limit: 5/s\n    " + entry + "\n";

    assertThat(messageFor(text)).isEqualTo("sash.yaml:" + expected);
  }

  /** What may be the limit at column 12 of line 3, and what is said. */
  private static Stream<Arguments> limits() {
    return Stream.of(
        Arguments.of(
            "",
            "3:11: limit must be a limit such as 100/1m, or a mapping with permits and window, was nothing"),
        Arguments.of(
            "[5/s]",
            "3:12: limit must be a limit such as 100/1m, or a mapping with permits and window, was a list"),
        Arguments.of("100", "3:12: limit '100': expected '/' or 'per' at column 4, found the end"),
        Arguments.of(
            "5/1x",
            "3:12: limit '5/1x': expected a unit of time (us, ms, s, m, h, d, w) at column 4, found 'x'"),
        Arguments.of("0/1m", "3:12: limit '0/1m': permits must be between 1 and 1000000000, was 0"),
        Arguments.of("{permits: 5}", "3:12: limit must have window"),
        Arguments.of("{window: 1m}", "3:12: limit must have permits"),
        Arguments.of(
            "{permits: 0, window: 1m}",
            "3:22: permits must be a whole number between 1 and 1000000000, was '0'"),
        Arguments.of(
            "{permits: 5, window: 60}",
            "3:33: window must be a whole number and a unit (us, ms, s, m, h, d, w), between 1ms and 366d, was '60'"),
        Arguments.of(
            "{permits: 5, window: 367d}",
            "3:33: window must be a whole number and a unit (us, ms, s, m, h, d, w), between 1ms and 366d, was '367d'"),
        Arguments.of(
            "{permits: 5, window: 1m, algorithm: slidng-log}",
            "3:48: algorithm must be one of sliding-log, sliding-counter, fixed-window, token-bucket, was 'slidng-log'; did you mean 'sliding-log'?"),
        Arguments.of(
            "{permits: 5, window: 1m, cells: 1000001}",
            "3:44: cells must be a whole number between 0 and 1000000, was '1000001'"),
        Arguments.of(
            "{permits: 5, window: 1m, algorithm: fixed-window, cells: 5}",
            "3:69: cells must be 0 for fixed-window (only sliding-log has cells), was 5"),
        Arguments.of(
            "{permits: 5, window: 1m, capacity: 9}",
            "3:47: capacity must equal permits (5) for sliding-log (only token-bucket has a capacity of its own), was 9"),
        Arguments.of(
            "{permit: 5, permits: 5, window: 1m}",
            "3:13: unknown name 'permit', allowed are permits, window, algorithm, cells, capacity; did you mean 'permits'?"));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void saysWhatIsWrongWithALimit(String limit, String expected) {
    assertThat(messageFor("policies:\n  p:\n    limit: " + limit + "\n"))
        .isEqualTo("sash.yaml:" + expected);
  }

  private static Stream<Arguments> files() {
    return Stream.of(
        Arguments.of(
            "polices: {}",
            "1:1: unknown name 'polices', allowed are policies, trusted-proxies, forwarded-by, deny-status, ad-hoc-limits, rls; did you mean 'policies'?"),
        Arguments.of(
            "policies:",
            "1:10: policies must be a mapping with a policy or more by name, was nothing"),
        Arguments.of(
            "policies: {}",
            "1:11: policies must be a mapping with a policy or more by name, was an empty mapping"),
        Arguments.of(
            "policies: [a]",
            "1:11: policies must be a mapping with a policy or more by name, was a list"),
        Arguments.of(
            "policies: {p: 5/s}",
            "1:15: policy 'p' must be a mapping with " + POLICY_NAMES + ", was '5/s'"),
        Arguments.of("policies:\n  p: {mode: off}", "2:6: policy 'p' must have limit or limits"),
        Arguments.of("policies:\n  p: {limits: 5/s}", "2:15: limits must be a list, was '5/s'"),
        Arguments.of(
            "policies:\n  p: {limits: []}",
            "2:15: limits must have between 1 and 16 limits, has 0"),
        Arguments.of(
            "policies:\n  p: {limits: [5/s, 6/s]}",
            "2:15: limits of policy 'p' must differ in algorithm, window or cells, were 5/1s sliding-log and 6/1s sliding-log"),
        Arguments.of(
            "policies:\n  p: {limits: [5/s, 6/]}",
            "2:21: limit '6/': expected a unit of time (us, ms, s, m, h, d, w) at column 3, found the end"),
        Arguments.of(
            "policies:\n  a b: {limit: 5/s}",
            "2:3: policy name must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was 'a b'"),
        Arguments.of(
            "policies:\n  p: {limit: 5/s}\n  p: {limit: 6/s}",
            "3:3: name 'p' stands at line 2 already"),
        Arguments.of(
            "trusted-proxies: [10.0.0.1/8]",
            "1:19: range must be an address or a network such as 10.0.0.0/8 or 2001:db8::/32, was '10.0.0.1/8' (meant 10.0.0.0/8, or a single address?)"),
        Arguments.of(
            "trusted-proxies: localhost",
            "1:18: range must be an address or a network such as 10.0.0.0/8 or 2001:db8::/32, was 'localhost'"),
        Arguments.of("ad-hoc-limits: yes", "1:16: ad-hoc-limits must be true or false, was 'yes'"),
        Arguments.of(
            "ad-hoc-limits: !!bool yes", "1:16: ad-hoc-limits must be true or false, was 'yes'"),
        Arguments.of(
            "ad-hoc-limits: \"true\"", "1:16: ad-hoc-limits must be true or false, was 'true'"),
        Arguments.of(
            "rls: each",
            "1:6: rls must be a mapping with charge, charge-always, algorithm, refunds, was 'each'"),
        Arguments.of(
            "rls: {charge: all}",
            "1:15: charge must be one of all-or-nothing, each, always, was 'all'"),
        Arguments.of(
            "rls: {algorithm: gcra}",
            "1:18: algorithm must be one of sliding-log, sliding-counter, fixed-window, token-bucket, was 'gcra'"));
  }

  @ParameterizedTest
  @MethodSource("files")
  void saysWhatIsWrongWithAFile(String text, String expected) {
    assertThat(messageFor(text)).isEqualTo("sash.yaml:" + expected);
  }

  @Test
  void saysEverythingAtOnceFromTheTop() {
    String text =
        """
        policies:
          search:
            limit: 5/parsec
            mode: of
          login:
            limits: [5/s, {permits: many}]
        trusted-proxies: nobody
        adhoc-limits: true
        """;

    ConfigurationException e =
        catchThrowableOfType(
            ConfigurationException.class, () -> Configuration.parse(text, "sash.yaml"));

    assertThat(e.problems())
        .extracting(Problem::line, Problem::column)
        .containsExactly(
            tuple(3, 12), tuple(4, 11), tuple(6, 19), tuple(6, 29), tuple(7, 18), tuple(8, 1));
    assertThat(e.getMessage().lines().map(line -> line.replaceAll("^(.*?:.*?:.*?):.*", "$1")))
        .containsExactly(
            "sash.yaml:3:12",
            "sash.yaml:4:11",
            "sash.yaml:6:19",
            "sash.yaml:6:29",
            "sash.yaml:7:18",
            "sash.yaml:8:1");
  }

  @Test
  void aWrongAlgorithmIsTheOnlyMistakeInItsLimit() {
    assertThat(
            messageFor(
                "policies: {p: {limit: {permits: 5, window: s, algorithm: tokenbucket, capacity: 9}}}"))
        .startsWith("sash.yaml:1:58: algorithm must be one of ")
        .endsWith("was 'tokenbucket'; did you mean 'token-bucket'?")
        .doesNotContain("\n");
  }

  @Test
  void noMessageHasWhoIsOnAList() {
    String list = "[10.9.8.7/6, 2001:db8:5ec::/1, {5ecret: 1}, ['5ecret'], '']";

    assertThat(messageFor("policies: {p: {limit: 5/s, allow: " + list + ", deny: " + list + "}}"))
        .hasLineCount(10)
        .doesNotContain("5ec", "10.9");
  }

  @Test
  void nothingIsLimitedWithoutPolicies() {
    assertThat(messageFor("rls: {charge: each}"))
        .isEqualTo("sash.yaml: limits nothing: has no policies and no domain");
  }

  @Test
  void thereAreBoundsOnPoliciesLimitsAndProblems() {
    StringBuilder text = new StringBuilder("policies:\n");
    for (int i = 0; i <= Draft.MOST_POLICIES + 5; i++) {
      text.append("  p").append(i).append(": {limit: 1/s}\n");
    }
    assertThat(messageFor(text.toString()))
        .isEqualTo("sash.yaml:10002:3: there must be at most 10000 policies: this one is too many");
    assertThat(messageFor("policies: {p: {limits: [" + "1/s,".repeat(17) + "]}}"))
        .isEqualTo("sash.yaml:1:24: limits must have between 1 and 16 limits, has 17");
    assertThat(messageFor(text.toString().replace("1/s", "1"))).hasLineCount(Problems.MOST);
  }
}
