package dev.sash.server.http.exchange;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes JSON that need not be fast. */
public final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();

  /** Writes something. */
  public interface Content {
    /** Writes the content. */
    void writeTo(JsonGenerator json) throws IOException;
  }

  private Json() {}

  /** An object, of which the content writes the fields. */
  public static Buffer object(Content content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
      json.writeStartObject();
      content.writeTo(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is nothing that could fail to be written
    }
    return Buffer.buffer(bytes.toByteArray());
  }
}
