package dev.sash.server.rls.domain;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.sash.server.rls.wire.RlsRequest;
import dev.sash.server.rls.wire.RlsRequest.Descriptor;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What Envoy gets as dynamic metadata, in the form of envoyproxy/ratelimit. */
final class Metadata {
  private Metadata() {}

  /** What a file says. */
  static Struct of(Map<String, @Nullable Object> configured) {
    Struct.Builder struct = Struct.newBuilder();
    configured.forEach((name, value) -> struct.putFields(name, value(value)));
    return struct.build();
  }

  private static Value value(@Nullable Object configured) {
    Value.Builder value = Value.newBuilder();
    if (configured instanceof Map<?, ?> map) {
      Struct.Builder struct = Struct.newBuilder();
      map.forEach((name, nested) -> struct.putFields(String.valueOf(name), value(nested)));
      value.setStructValue(struct);
    } else if (configured instanceof List<?> list) {
      ListValue.Builder elements = ListValue.newBuilder();
      list.forEach(element -> elements.addValues(value(element)));
      value.setListValue(elements);
    } else if (configured instanceof Boolean flag) {
      value.setBoolValue(flag);
    } else if (configured instanceof Number number) {
      value.setNumberValue(number.doubleValue());
    } else if (configured == null) {
      value.setNullValue(NullValue.NULL_VALUE);
    } else {
      value.setStringValue(configured.toString());
    }
    return value.build();
  }

  /** Both together: mappings are merged, and of anything else the first stays. */
  static Struct merged(Struct first, Struct second) {
    if (first.getFieldsCount() == 0) {
      return second;
    }
    Struct.Builder merged = first.toBuilder();
    second
        .getFieldsMap()
        .forEach(
            (name, value) -> {
              Value before = first.getFieldsMap().get(name);
              if (before == null) {
                merged.putFields(name, value);
              } else if (before.hasStructValue() && value.hasStructValue()) {
                Struct both = merged(before.getStructValue(), value.getStructValue());
                merged.putFields(name, Value.newBuilder().setStructValue(both).build());
              }
            });
    return merged.build();
  }

  /** The request, and the metadata of the descriptors that are not over their limits. */
  static Struct response(RlsRequest request, Struct metadata) {
    ListValue.Builder descriptors = ListValue.newBuilder();
    request.descriptors().forEach(descriptor -> descriptors.addValues(described(descriptor)));
    Struct.Builder struct =
        Struct.newBuilder()
            .putFields("domain", text(request.domain()))
            .putFields("descriptors", Value.newBuilder().setListValue(descriptors).build())
            .putFields("metadata", Value.newBuilder().setStructValue(metadata).build());
    if (request.hitsAddend() > 0) {
      struct.putFields("hitsAddend", number(request.hitsAddend()));
    }
    return struct.build();
  }

  private static Value described(Descriptor descriptor) {
    ListValue.Builder entries = ListValue.newBuilder();
    descriptor
        .entries()
        .forEach(entry -> entries.addValues(text(entry.key() + "=" + entry.value())));
    Struct.Builder struct =
        Struct.newBuilder().putFields("entries", Value.newBuilder().setListValue(entries).build());
    if (descriptor.hitsAddend() != null) {
      struct.putFields("hitsAddend", number(descriptor.hitsAddend()));
    }
    return Value.newBuilder().setStructValue(struct).build();
  }

  private static Value text(String text) {
    return Value.newBuilder().setStringValue(text).build();
  }

  private static Value number(long number) {
    return Value.newBuilder().setNumberValue((double) number).build();
  }
}
