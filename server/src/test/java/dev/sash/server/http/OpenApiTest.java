package dev.sash.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.server.engine.CheckResult;
import dev.sash.server.engine.Reason;
import dev.sash.server.http.check.CheckReader;
import dev.sash.server.http.check.CheckReader.Form;
import dev.sash.server.http.check.ResultWriter;
import dev.sash.server.http.exchange.JsonBytes;
import dev.sash.server.http.exchange.Refusal;
import dev.sash.server.override.Effect;
import dev.sash.store.Decisions;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The description of the API and the API are the same. */
class OpenApiTest {
  private static final Set<String> METHODS =
      Set.of("get", "head", "post", "put", "patch", "delete", "options");

  private final Map<?, ?> document = document();

  private static Map<?, ?> document() {
    try (InputStream in = OpenApi.class.getResourceAsStream("openapi.yaml")) {
      return (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromInputStream(in);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Object at(String... path) {
    Object value = document;
    for (String name : path) {
      value = ((Map<?, ?>) value).get(name);
      assertThat(value).as(name).isNotNull();
    }
    return value;
  }

  private Set<String> names(String... path) {
    Set<String> names = new TreeSet<>();
    ((Map<?, ?>) at(path)).keySet().forEach(name -> names.add(name.toString()));
    return names;
  }

  @Test
  void describesExactlyTheRoutesThatThereAre() {
    Map<String, Set<String>> described = new TreeMap<>();
    for (String path : names("paths")) {
      Set<String> methods = names("paths", path);
      methods.retainAll(METHODS);
      described.put(path, methods);
    }
    Map<String, Set<String>> served = new TreeMap<>();
    for (Route route : Route.values()) {
      Set<String> methods = new TreeSet<>();
      for (String method : route.methods().split(", ", -1)) {
        methods.add(method.toLowerCase(Locale.ROOT));
      }
      served.put(route.template(), methods);
    }
    assertThat(described).isEqualTo(served);
  }

  @Test
  void describesExactlyTheFieldsOfRequests() {
    assertThat(names("components", "schemas", "CheckRequest", "properties"))
        .isEqualTo(allowedBy(Form.CHECK));
    assertThat(names("components", "schemas", "RefundRequest", "properties"))
        .isEqualTo(allowedBy(Form.REFUND));
    assertThat(names("components", "schemas", "KeyRequest", "properties"))
        .isEqualTo(allowedBy(Form.LOOK));
  }

  private static Set<String> allowedBy(Form form) {
    Refusal refusal =
        catchThrowableOfType(
            Refusal.class, () -> CheckReader.one("{\"?\":1}".getBytes(UTF_8), form));
    return new TreeSet<>(List.of(refusal.detail().replaceFirst(".*allowed are ", "").split(", ")));
  }

  @Test
  void describesExactlyTheFieldsAndWordsOfAnswers() {
    Set<String> sources = new TreeSet<>();
    Set<String> reasons = new TreeSet<>();
    List<String> fields = new ArrayList<>();
    for (Source source : Source.values()) {
      for (Reason reason : Reason.values()) {
        Limit limit = Limit.parse("5/1m");
        Decision decision = Decisions.denied(limit, 5, 0, 1, 2, source);
        JsonBytes json = new JsonBytes();
        ResultWriter.write(
            json,
            new CheckResult(false, reason, "p", List.of(limit), "k", 1, decision, Effect.BLOCK));
        String text = json.toBuffer().toString();
        fields = Arrays.asList(text.replaceAll(":[^,]*", "").replace("\"", "").split(","));
        sources.add(text.replaceAll(".*\"source\":\"|\".*", ""));
        if (reason != Reason.LIMIT) {
          reasons.add(text.replaceAll(".*\"reason\":\"|\".*", ""));
        }
      }
    }
    Set<String> all = new TreeSet<>(fields);
    all.add("receipt"); // which depends on the request
    assertThat(names("components", "schemas", "CheckResult", "properties")).isEqualTo(all);
    List<String> always = new ArrayList<>(fields);
    always.removeAll(List.of("reason", "override"));
    assertThat(at("components", "schemas", "CheckResult", "required")).isEqualTo(always);
    assertThat((List<?>) at("components", "schemas", "CheckResult", "properties", "source", "enum"))
        .map(Object::toString)
        .containsExactlyInAnyOrderElementsOf(sources);
    assertThat((List<?>) at("components", "schemas", "CheckResult", "properties", "reason", "enum"))
        .map(Object::toString)
        .containsExactlyInAnyOrderElementsOf(reasons);
  }

  @Test
  void everyReferenceLeadsSomewhere() {
    List<String> references = new ArrayList<>();
    collect(document, references);
    assertThat(references).isNotEmpty();
    for (String reference : references) {
      at(reference.replace("#/", "").split("/"));
    }
  }

  private static void collect(Object value, List<String> references) {
    if (value instanceof Map<?, ?> map) {
      map.forEach(
          (name, inner) -> {
            if (name.equals("$ref")) {
              references.add(inner.toString());
            }
            collect(inner, references);
          });
    } else if (value instanceof List<?> list) {
      list.forEach(inner -> collect(inner, references));
    }
  }
}
