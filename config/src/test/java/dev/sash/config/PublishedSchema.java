package dev.sash.config;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code sash.schema.json}, as editors get it. */
final class PublishedSchema {
  static final JsonNode TREE = read();

  private static final Schema VALIDATOR =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(TREE);

  private static final LoadSettings YAML =
      LoadSettings.builder().setSchema(new CoreSchema()).build();

  private PublishedSchema() {}

  private static JsonNode read() {
    try (InputStream file = Configuration.class.getResourceAsStream("sash.schema.json")) {
      return JsonMapper.shared().readTree(Objects.requireNonNull(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the schema has against a file. */
  static List<Error> errorsOf(String yaml) {
    // Editors merge (<<) as the parser does; Jackson's YAML does not.
    Object merged = new Load(YAML).loadFromString(yaml);
    return VALIDATOR.validate(JsonMapper.shared().<JsonNode>valueToTree(merged));
  }

  static JsonNode definition(Names names) {
    return definition(names.name().toLowerCase(Locale.ROOT).replace('_', '-'));
  }

  private static JsonNode definition(String name) {
    return Objects.requireNonNull(TREE.get("$defs").get(name), name);
  }

  /** What a property says of a keyword, itself or by what it refers to. */
  static JsonNode keyword(JsonNode property, String keyword) {
    if (!property.has(keyword) && property.has("$ref")) {
      return keyword(definition(property.get("$ref").asString().replace("#/$defs/", "")), keyword);
    }
    return property.path(keyword);
  }
}
