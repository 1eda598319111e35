package dev.sash.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.config.envoy.EnvoyDescriptor;
import dev.sash.config.envoy.EnvoyDomain;
import dev.sash.config.envoy.EnvoyLimit;
import dev.sash.config.envoy.EnvoyOption;
import dev.sash.config.envoy.EnvoyUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvoyFormTest {
  private static List<EnvoyDescriptor> parse(String descriptors) {
    return Configuration.parse("domain: d\ndescriptors:\n" + descriptors, "envoy.yaml")
        .domains()
        .get("d")
        .descriptors();
  }

  private static EnvoyLimit limit(String entries) {
    return parse("- {key: k, rate_limit: {" + entries + "}}\n").get(0).limit();
  }

  @Test
  void readsADomain() {
    Configuration read =
        Configuration.parse(
            """
            domain: shop
            descriptors:
              - key: remote_address
                rate_limit: {unit: second, requests_per_unit: 10}
              - key: path
                value: /api/*
                shadow_mode: true
                detailed_metric: true
                rate_limit:
                  name: api
                  unit: Hour
                  requests_per_unit: 0
                  replaces:
                    - name: everything
                    - name: slow
                descriptors:
                  - key: user
                    value: 42
                    rate_limit: {unlimited: true}
                  - key: user
            """,
            "envoy.yaml");

    assertThat(read.policies()).isEmpty();
    assertThat(read.domains())
        .containsOnlyKeys("shop")
        .containsValue(
            new EnvoyDomain(
                "shop",
                List.of(
                    new EnvoyDescriptor(
                        "remote_address",
                        null,
                        new EnvoyLimit(10, EnvoyUnit.SECOND, false, null, List.of()),
                        Set.of(),
                        Map.of(),
                        List.of()),
                    new EnvoyDescriptor(
                        "path",
                        "/api/*",
                        new EnvoyLimit(
                            0, EnvoyUnit.HOUR, false, "api", List.of("everything", "slow")),
                        Set.of(EnvoyOption.SHADOW_MODE, EnvoyOption.DETAILED_METRIC),
                        Map.of(),
                        List.of(
                            new EnvoyDescriptor(
                                "user",
                                "42",
                                new EnvoyLimit(0, null, true, null, List.of()),
                                Set.of(),
                                Map.of(),
                                List.of()),
                            new EnvoyDescriptor(
                                "user", null, null, Set.of(), Map.of(), List.of()))))));
  }

  @ParameterizedTest
  @CsvSource({
    "second, SECOND",
    "MINUTE, MINUTE",
    "Hour, HOUR",
    "day, DAY",
    "week, WEEK",
    "month, MONTH",
    "YEAR, YEAR"
  })
  void readsUnitsInAnyCase(String text, EnvoyUnit unit) {
    assertThat(limit("unit: " + text + ", requests_per_unit: 5").unit()).isEqualTo(unit);
  }

  /** The files are read as YAML 1.1 where they come from. */
  @ParameterizedTest
  @ValueSource(strings = {"true", "True", "yes", "on", "YES"})
  void readsFlagsAsYaml11(String yes) {
    assertThat(limit("unlimited: " + yes).unlimited()).isTrue();
    for (EnvoyOption option : EnvoyOption.values()) {
      String name = option.name().toLowerCase(Locale.ROOT);
      EnvoyDescriptor read = parse("- {key: k, value: a*, " + name + ": " + yes + "}").get(0);
      assertThat(read.options()).containsExactly(option);
      assertThat(read.has(option)).isTrue();
    }
  }

  @Test
  void readsMetadataOfAnyShape() {
    String metadata = "{a: {b: [1, -2.5, 1e3, yes, true, null, text, '7']}, c: , 4: 0x1F}";
    assertThat(parse("- {key: k, metadata: " + metadata + "}").get(0).metadata())
        .isEqualTo(
            mapOf(
                "a",
                Map.of("b", Arrays.asList(1.0, -2.5, 1000.0, "yes", true, null, "text", "7")),
                "c",
                null,
                "4",
                "0x1F"));
    assertThat(parse("- {key: k, metadata: }").get(0).metadata()).isEmpty();
  }

  private static Map<String, Object> mapOf(Object... entries) {
    Map<String, Object> map = new HashMap<>();
    for (int i = 0; i < entries.length; i += 2) {
      map.put((String) entries[i], entries[i + 1]);
    }
    return map;
  }

  @Test
  void aSmallFileCannotStandForLongMetadata() {
    String file = "domain: d\ndescriptors:\n- key: k\n  metadata: {a: &a %s, b: %s}";
    String fits = file.formatted("x".repeat(1_000), "[" + "*a, ".repeat(14) + "]");
    assertThat(Configuration.parse(fits, "envoy.yaml").domains()).containsKey("d");

    String tooLong = file.formatted("x".repeat(100_000), "[" + "*a, ".repeat(100_000) + "]");
    assertThat(NativeProblemsTest.messageFor(tooLong))
        .isEqualTo("sash.yaml:4:13: metadata must not be longer than 16384 characters");
  }

  @Test
  void takesNothingForAnEmptyTextAndAnEmptyList() {
    List<EnvoyDescriptor> read = parse("- key: a\n  value:\n  descriptors:\n- {key: b, value: ''}");

    assertThat(read).extracting(EnvoyDescriptor::value).containsOnlyNulls();
    assertThat(read.get(0).descriptors()).isEmpty();
    assertThat(Configuration.parse("domain: d", "envoy.yaml").domains()).containsKey("d");
  }

  @Test
  void whatIsSwitchedOffMayStand() {
    assertThat(parse("- {key: a, quota_mode: false, share_threshold: no}").get(0).options())
        .isEmpty();
  }

  @Test
  void aTagMakesNoDescriptorsDisappear() {
    assertThat(
            Configuration.parse("domain: d\ndescriptors: !!null [{key: a}]", "envoy.yaml")
                .domains()
                .get("d")
                .descriptors())
        .hasSize(1);
  }

  private static Stream<Arguments> problems() {
    String names =
        "key, value, rate_limit, descriptors, shadow_mode, detailed_metric, value_to_metric,"
            + " share_threshold, quota_mode, metadata";
    String limit = "unit, requests_per_unit, unlimited, name, replaces";
    String unit = "unit must be one of second, minute, hour, day, month, year, week, was ";
    return Stream.of(
        Arguments.of("- {key: ''}", "3:9: key must be a text that is not empty, was ''"),
        Arguments.of("- {value: a}", "3:3: descriptor must have key"),
        Arguments.of("- a", "3:3: descriptor must be a mapping with " + names + ", was 'a'"),
        Arguments.of("  {key: a}", "3:3: descriptors must be a list, was a mapping"),
        Arguments.of(
            "- {key: a, values: b}",
            "3:12: unknown name 'values', allowed are " + names + "; did you mean 'value'?"),
        Arguments.of("- {key: a, unit: day}", "3:12: unknown name 'unit', allowed are " + names),
        Arguments.of(
            "- {key: a, value: b}\n- {key: c}\n- {key: a, value: b}",
            "5:3: descriptor must not have the key and value of another, as the one at sash.yaml:3:3"),
        Arguments.of(
            "- {key: a, value: b}\n- {key: a_b}",
            "4:3: descriptor must not have the key and value of another, as the one at sash.yaml:3:3"),
        Arguments.of(
            "- {key: a, descriptors: [{key: b}, {key: b}]}",
            "3:36: descriptor must not have the key and value of another, as the one at sash.yaml:3:26"),
        Arguments.of(
            "- {key: a, shadow_mode: 1}",
            "3:25: shadow_mode must be one of true, yes, on, false, no, off, was '1'"),
        Arguments.of(
            "- {key: a, value: b, share_threshold: true}",
            "3:22: share_threshold must stand beside a value with an asterisk"),
        Arguments.of("- {key: a, metadata: b}", "3:22: metadata must be a mapping, was 'b'"),
        Arguments.of(
            "- {key: a, rate_limit: }",
            "3:23: rate_limit must be a mapping with " + limit + ", was nothing"),
        Arguments.of(
            "- {key: a, rate_limit: {requests_per_unit: 5}}", "3:24: rate_limit must have unit"),
        Arguments.of(
            "- {key: a, rate_limit: {unit: day}}", "3:24: rate_limit must have requests_per_unit"),
        Arguments.of(
            "- {key: a, rate_limit: {unit: fortnight, requests_per_unit: 5}}",
            "3:31: " + unit + "'fortnight'"),
        Arguments.of(
            "- {key: a, rate_limit: {unit: minutes, requests_per_unit: 5}}",
            "3:31: " + unit + "'minutes'; did you mean 'minute'?"),
        Arguments.of(
            "- {key: a, rate_limit: {unit: day, requests_per_unit: -5}}",
            "3:55: requests_per_unit must be a whole number between 0 and 1000000000, was '-5'"),
        Arguments.of(
            "- {key: a, rate_limit: {unit: day, requests_per_unit: 4294967295}}",
            "3:55: requests_per_unit must be a whole number between 0 and 1000000000, was '4294967295'"),
        Arguments.of(
            "- {key: a, rate_limit: {unit: day, unlimited: true}}",
            "3:25: unit must not stand beside unlimited"),
        Arguments.of(
            "- {key: a, rate_limit: {unlimited: true, name: n, replaces: [{name: n}]}}",
            "3:62: replaces must name another limit, not its own: 'n'"),
        Arguments.of(
            "- {key: a, rate_limit: {unlimited: true, replaces: [{name: ''}]}}",
            "3:60: name must be the name of another limit, was ''"),
        Arguments.of(
            "- {key: a, rate_limit: {unlimited: true, replaces: [n]}}",
            "3:53: replaces must be a mapping with name, was 'n'"),
        Arguments.of(
            "- {key: a, rate_limit: {unlimited: true, request_per_unit: 5}}",
            "3:42: unknown name 'request_per_unit', allowed are "
                + limit
                + "; did you mean 'requests_per_unit'?"));
  }

  @ParameterizedTest
  @MethodSource("problems")
  void saysWhatIsWrong(String descriptors, String expected) {
    assertThat(NativeProblemsTest.messageFor("domain: d\ndescriptors:\n" + descriptors))
        .isEqualTo("sash.yaml:" + expected);
  }

  @Test
  void aDomainHasAName() {
    assertThat(NativeProblemsTest.messageFor("descriptors: []"))
        .isEqualTo("sash.yaml:1:1: the file must have domain");
    assertThat(NativeProblemsTest.messageFor("domain: ''\npolicies: {}"))
        .isEqualTo(
            "sash.yaml:1:9: domain must be the name of a domain, was ''\n"
                + "sash.yaml:2:1: unknown name 'policies', allowed are domain, descriptors");
  }
}
