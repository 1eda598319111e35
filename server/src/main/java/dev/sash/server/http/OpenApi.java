package dev.sash.server.http;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sash.server.http.exchange.Exchange;
import dev.sash.server.http.exchange.Json;
import dev.sash.server.metrics.Outcome;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The description of the API. It is written in YAML, and converted to JSON at the first request.
 */
final class OpenApi {
  private OpenApi() {}

  static void yaml(Exchange exchange) {
    exchange.answer(200, "application/yaml", Documents.YAML, Outcome.DONE);
  }

  static void json(Exchange exchange) {
    exchange.answer(200, Exchange.JSON, Documents.JSON, Outcome.DONE);
  }

  /** Loaded by the first request. */
  private static final class Documents {
    private static final Buffer YAML = resource();
    private static final Buffer JSON = toJson(YAML);
  }

  private static Buffer resource() {
    try (InputStream in = OpenApi.class.getResourceAsStream("openapi.yaml")) {
      return Buffer.buffer(Objects.requireNonNull(in).readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Buffer toJson(Buffer yaml) {
    Object document = new Load(LoadSettings.builder().build()).loadFromString(yaml.toString());
    return Json.object(json -> fields(json, (Map<?, ?>) document));
  }

  private static void fields(JsonGenerator json, Map<?, ?> fields) throws IOException {
    for (Map.Entry<?, ?> field : fields.entrySet()) {
      json.writeFieldName(String.valueOf(field.getKey()));
      value(json, field.getValue());
    }
  }

  private static void value(JsonGenerator json, @Nullable Object value) throws IOException {
    if (value instanceof Map<?, ?> map) {
      json.writeStartObject();
      fields(json, map);
      json.writeEndObject();
    } else if (value instanceof List<?> list) {
      json.writeStartArray();
      for (Object element : list) {
        value(json, element);
      }
      json.writeEndArray();
    } else if (value instanceof Number number) {
      json.writeNumber(number.longValue());
    } else if (value instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else if (value == null) {
      json.writeNull();
    } else {
      json.writeString(value.toString());
    }
  }
}
