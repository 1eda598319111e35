package dev.sash.config;

import static dev.sash.config.PublishedSchema.definition;
import static dev.sash.config.PublishedSchema.keyword;

import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;

/** Writes the reference in docs/config.md from the schema. */
final class ConfigReference {
  private ConfigReference() {}

  static String markdown() {
    StringBuilder page = new StringBuilder();
    for (Names names : Names.values()) {
      JsonNode definition = definition(names);
      page.append("\n### ").append(definition.get("title").asString()).append("\n\n");
      page.append(definition.get("description").asString()).append("\n\n");
      page.append("| name | values | default | |\n|---|---|---|---|\n");
      for (String name : names.all()) {
        JsonNode property = definition.get("properties").get(name);
        boolean required =
            StreamSupport.stream(definition.path("required").spliterator(), false)
                .anyMatch(other -> other.asString().equals(name));
        String fallback = property.has("default") ? code(property.get("default")) : "";
        page.append("| `").append(name).append("` | ");
        page.append(values(property)).append(" | ");
        page.append(required ? "required" : fallback).append(" | ");
        page.append(property.get("description").asString()).append(" |\n");
      }
    }
    return page.toString();
  }

  private static String values(JsonNode property) {
    JsonNode choices = keyword(property, "enum");
    if (choices.isArray()) {
      return StreamSupport.stream(choices.spliterator(), false)
          .map(ConfigReference::code)
          .collect(Collectors.joining(", "));
    }
    if (keyword(property, "type").toString().equals("\"boolean\"")) {
      return "`true`, `false`";
    }
    if (property.has("minimum")) {
      return property.get("minimum") + " to " + property.get("maximum");
    }
    return "such as " + code(property.get("examples").get(0));
  }

  private static String code(JsonNode value) {
    return "`" + flow(value) + "`";
  }

  /** As people write it in YAML. */
  private static String flow(JsonNode value) {
    if (value.isArray()) {
      return StreamSupport.stream(value.spliterator(), false)
          .map(ConfigReference::flow)
          .collect(Collectors.joining(", ", "[", "]"));
    }
    if (value.isObject()) {
      return value.properties().stream()
          .map(entry -> entry.getKey() + ": " + flow(entry.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    return value.asString();
  }
}
