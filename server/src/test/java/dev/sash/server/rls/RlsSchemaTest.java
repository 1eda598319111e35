package dev.sash.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RatelimitProto;
import io.envoyproxy.envoy.service.ratelimit.v3.RlsProto;
import io.envoyproxy.envoy.type.v3.RatelimitUnitProto;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What reflection tells is what those who made the services say. */
class RlsSchemaTest {
  /** Younger than the files at hand. */
  private static final Set<String> YOUNGER =
      Set.of(
          "envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.is_negative_hits = 4 BOOL",
          "envoy.type.v3.RateLimitUnit.WEEK = 7");

  /** A line for each field, value and method. */
  private static Set<String> lines(FileDescriptor file) {
    Set<String> lines = new TreeSet<>();
    file.getMessageTypes().forEach(message -> add(message, lines));
    file.getEnumTypes().forEach(enumeration -> add(enumeration, lines));
    for (ServiceDescriptor service : file.getServices()) {
      for (MethodDescriptor method : service.getMethods()) {
        lines.add(
            method.getFullName()
                + (method.isClientStreaming() ? " stream " : " ")
                + method.getInputType().getFullName()
                + (method.isServerStreaming() ? " stream " : " ")
                + method.getOutputType().getFullName());
      }
    }
    return lines;
  }

  private static void add(Descriptor message, Set<String> lines) {
    for (FieldDescriptor field : message.getFields()) {
      String type =
          switch (field.getType()) {
            case MESSAGE -> field.getMessageType().getFullName();
            case ENUM -> field.getEnumType().getFullName();
            default -> field.getType().name();
          };
      lines.add(
          field.getFullName()
              + " = "
              + field.getNumber()
              + (field.isRepeated() ? " repeated " : " ")
              + type
              + (field.getContainingOneof() == null
                  ? ""
                  : " " + field.getContainingOneof().getName()));
    }
    message.getNestedTypes().forEach(nested -> add(nested, lines));
    message.getEnumTypes().forEach(enumeration -> add(enumeration, lines));
  }

  private static void add(EnumDescriptor enumeration, Set<String> lines) {
    enumeration
        .getValues()
        .forEach(
            value ->
                lines.add(
                    enumeration.getFullName() + "." + value.getName() + " = " + value.getNumber()));
  }

  private static FileDescriptor find(FileDescriptor file, String name) {
    if (file.getName().equals(name)) {
      return file;
    }
    return file.getDependencies().stream()
        .map(needed -> find(needed, name))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private static void check(FileDescriptor theirs) {
    Set<String> ours = lines(find(new RlsSchema().getFileDescriptor(), theirs.getName()));
    ours.removeAll(YOUNGER);
    assertThat(ours).isNotEmpty().isSubsetOf(lines(theirs));
  }

  @Test
  void namesNumbersAndTypesAreThoseOfTheOriginals() {
    check(RlsProto.getDescriptor());
    check(RatelimitProto.getDescriptor());
    check(RatelimitUnitProto.getDescriptor());
  }

  @Test
  void theServiceIsInIt() {
    assertThat(new RlsSchema().getServiceDescriptor().getFullName()).isEqualTo(RlsService.NAME);
  }
}
