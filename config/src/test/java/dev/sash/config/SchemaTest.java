package dev.sash.config;

import static dev.sash.config.PublishedSchema.definition;
import static dev.sash.config.PublishedSchema.errorsOf;
import static dev.sash.config.PublishedSchema.keyword;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The schema and the parser accept the same. */
class SchemaTest {
  /** For each kind of mapping, a file that has one; what is tried is put into it. */
  private static final Map<Names, String> FILES =
      Map.ofEntries(
          Map.entry(
              Names.NATIVE, "{'policies': {'p': {'limit': '5/s'}}, 'trusted-proxies': '::1'}"),
          Map.entry(Names.POLICY, "{'policies': {'p': {'limit': '5/s'}}}"),
          Map.entry(Names.LIMIT, "{'policies': {'p': {'limit': {'permits': 5, 'window': '1m'}}}}"),
          Map.entry(
              Names.COST, "{'policies': {'p': {'limit': '5/s', 'cost': {'attribute': 'size'}}}}"),
          Map.entry(Names.RLS, "{'policies': {'p': {'limit': '5/s'}}, 'rls': {}}"),
          Map.entry(Names.ENVOY, "{'domain': 'd'}"),
          Map.entry(Names.ENVOY_DESCRIPTOR, "{'domain': 'd', 'descriptors': [{'key': 'k'}]}"),
          Map.entry(
              Names.ENVOY_LIMIT,
              "{'domain': 'd', 'descriptors': [{'key': 'k', 'rate_limit':"
                  + " {'unit': 'day', 'requests_per_unit': 5}}]}"),
          Map.entry(
              Names.ENVOY_REPLACED,
              "{'domain': 'd', 'descriptors': [{'key': 'k', 'rate_limit':"
                  + " {'unlimited': true, 'replaces': [{'name': 'n'}]}}]}"),
          Map.entry(Names.OLDER, "{'rate-limiter': {'window-size': 1, 'max-requests': 1}}"),
          Map.entry(Names.OLDER_LIMIT, "{'rate-limiter': {'window-size': 1, 'max-requests': 1}}"));

  private static final Map<Names, String> PLACES =
      Map.ofEntries(
          Map.entry(Names.NATIVE, ""),
          Map.entry(Names.POLICY, "/policies/p"),
          Map.entry(Names.LIMIT, "/policies/p/limit"),
          Map.entry(Names.COST, "/policies/p/cost"),
          Map.entry(Names.RLS, "/rls"),
          Map.entry(Names.ENVOY, ""),
          Map.entry(Names.ENVOY_DESCRIPTOR, "/descriptors/0"),
          Map.entry(Names.ENVOY_LIMIT, "/descriptors/0/rate_limit"),
          Map.entry(Names.ENVOY_REPLACED, "/descriptors/0/rate_limit/replaces/0"),
          Map.entry(Names.OLDER, ""),
          Map.entry(Names.OLDER_LIMIT, "/rate-limiter"));

  /** A file, which as JSON is YAML, with that value in place of what it had. */
  private static String file(Names names, String property, JsonNode value) {
    JsonNode file = JsonMapper.shared().readTree(FILES.get(names).replace('\'', '"'));
    ObjectNode mapping = (ObjectNode) file.at(PLACES.get(names));
    mapping.set(property, value);
    switch (property) {
      case "limits" -> mapping.remove("limit");
      case "tier-by" -> mapping.putObject("tiers").put("pro", "5/s");
      case "share_threshold" -> mapping.put("value", "/api/*");
      case "capacity" -> mapping.put("algorithm", "token-bucket");
      case "unlimited" -> {
        if (value.asBoolean(false)) {
          mapping.remove("unit");
        }
      }
      default -> {}
    }
    return file.toString();
  }

  private static JsonNode text(String text) {
    return JsonNodeFactory.instance.stringNode(text);
  }

  private static JsonNode number(long number) {
    return JsonNodeFactory.instance.numberNode(number);
  }

  private static void assertAccepted(String file) {
    assertThat(errorsOf(file)).as(file).isEmpty();
    assertThatCode(() -> Configuration.parse(file, "sash.yaml"))
        .as(file)
        .doesNotThrowAnyException();
  }

  /** And the parser says why. */
  private static String assertRefused(String file) {
    assertThat(errorsOf(file)).as(file).isNotEmpty();
    return NativeProblemsTest.messageFor(file);
  }

  private static Stream<Arguments> properties() {
    return Arrays.stream(Names.values())
        .flatMap(
            names ->
                definition(names).get("properties").propertyNames().stream()
                    .map(name -> Arguments.of(names, name)));
  }

  private static JsonNode property(Names names, String name) {
    return definition(names).get("properties").get(name);
  }

  @ParameterizedTest
  @EnumSource
  void everyMappingHasTheSameNamesInBoth(Names names) {
    JsonNode definition = definition(names);

    assertThat(definition.get("properties").propertyNames()).containsExactlyElementsOf(names.all());
    assertThat(definition.get("additionalProperties").asBoolean()).isFalse();
    assertThat(definition.get("title").asString()).isNotBlank();
    assertThat(definition.get("description").asString()).endsWith(".");
  }

  @ParameterizedTest
  @MethodSource("properties")
  void everyPropertyIsDescribedAndItsExamplesAreAccepted(Names names, String name) {
    JsonNode property = property(names, name);

    assertThat(property.get("description").asString()).endsWith(".");
    assertThat(property.get("examples")).isNotEmpty();
    property.get("examples").forEach(example -> assertAccepted(file(names, name, example)));
    if (property.has("default")) {
      assertAccepted(file(names, name, property.get("default")));
    }
  }

  @ParameterizedTest
  @MethodSource("properties")
  void bothHaveTheSameChoices(Names names, String name) {
    JsonNode choices = keyword(property(names, name), "enum");
    choices.forEach(choice -> assertAccepted(file(names, name, choice)));
    if (!choices.isMissingNode()) {
      String message = assertRefused(file(names, name, text("nonsense")));
      if (choices.get(0).isString()) {
        assertThat(message)
            .contains(
                StreamSupport.stream(choices.spliterator(), false)
                    .map(JsonNode::asString)
                    .collect(Collectors.joining(", ", "must be one of ", ", was ")));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("properties")
  void bothHaveTheSameBounds(Names names, String name) {
    JsonNode property = property(names, name);
    if (property.has("minimum")) {
      long least = property.get("minimum").asLong();
      long most = property.get("maximum").asLong();
      assertAccepted(file(names, name, number(least)));
      assertAccepted(file(names, name, number(most)));
      String between = name + " must be a whole number between " + least + " and " + most;
      assertThat(assertRefused(file(names, name, number(least - 1)))).contains(between);
      assertThat(assertRefused(file(names, name, number(most + 1)))).contains(between);
    }
  }

  @ParameterizedTest
  @MethodSource("properties")
  void neitherTakesAnotherShape(Names names, String name) {
    JsonNode mapping = JsonNodeFactory.instance.objectNode().put("x", 1);
    assertRefused(file(names, name, name.equals("metadata") ? text("x") : mapping));
    assertRefused(file(names, name + "x", text("x")));
  }

  @ParameterizedTest
  @EnumSource
  void bothDemandTheSame(Names names) {
    for (JsonNode required : definition(names).path("required")) {
      JsonNode file = JsonMapper.shared().readTree(FILES.get(names).replace('\'', '"'));
      ((ObjectNode) file.at(PLACES.get(names))).remove(required.asString());
      if (!file.isEmpty()) { // then there would be nothing to tell which form is meant
        assertThat(assertRefused(file.toString())).contains("must have " + required.asString());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "policies: {p: {mode: off}}",
        "policies: {p: {limit: 5/s, limits: [5/s]}}",
        "policies: {p: {limit: 5/s, tier-by: plan}}",
        "policies: {p: {limit: five}}",
        "policies: {p: {limits: []}}",
        "policies: {p: {limit: 5/s, key: []}}",
        "policies: {p: {limit: 5/s, key: Ip}}",
        "policies: {p: {limit: 5/s, tiers: {}}}",
        "policies: {p: {limit: 5/s, tiers: {'a b': 5/s}}}",
        "policies: {p: {limit: 5/s, deadline: 50}}",
        "policies: {'a b': {limit: 5/s}}",
        "policies: {}",
        "policies: {p: {limit: 5/s}}\nad-hoc-limits: yes",
        "domain: d\npolicies: {}",
        "rate-limiter: {window-size: 1, max-requests: 5}\nrls: {}",
        "domain: d\ndescriptors: [{key: k, rate_limit: {unit: fortnight, requests_per_unit: 5}}]",
        "domain: d\ndescriptors: [{key: k, rate_limit: {unit: day}}]",
        "domain: d\ndescriptors: [{key: k, rate_limit: {unit: day, unlimited: yes}}]",
        "domain: d\ndescriptors: [{key: k, rate_limit: {requests_per_unit: 5, unlimited: no}}]",
        "domain: d\ndescriptors: [{key: k, share_threshold: true}]",
        "domain: d\ndescriptors: [{key: k, value: 42, share_threshold: yes}]",
        "domain: d\ndescriptors: [{key: k, metadata: [1]}]",
        "policies: {p: {limit: 5/s}}\nrls: {charge-always: []}",
        "policies: {p: {limit: 5/s}}\nrls: {charge-always: [a, a]}",
      })
  void bothRefuse(String file) {
    assertRefused(file);
  }

  @Test
  void saysWhichDraftItIs() {
    assertThat(PublishedSchema.TREE.get("$schema").asString())
        .isEqualTo("https://json-schema.org/draft/2020-12/schema");
  }
}
