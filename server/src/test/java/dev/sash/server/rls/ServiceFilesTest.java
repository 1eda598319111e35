package dev.sash.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RatelimitProto;
import io.envoyproxy.envoy.service.ratelimit.v3.RlsProto;
import io.envoyproxy.envoy.type.v3.RatelimitUnitProto;
import io.grpc.health.v1.HealthProto;
import io.grpc.reflection.v1.ServerReflectionProto;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What reflection tells is what those who made the services say. */
class ServiceFilesTest {
  /** Younger than the files at hand. */
  private static final Set<String> YOUNGER =
      Set.of(
          "envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.is_negative_hits = 4 BOOL",
          "envoy.type.v3.RateLimitUnit.WEEK = 7");

  /** A file with all that it needs. */
  static FileDescriptor built(String name, Function<String, FileDescriptorProto> files)
      throws Exception {
    FileDescriptorProto file = files.apply(name);
    FileDescriptor[] needed = new FileDescriptor[file.getDependencyCount()];
    for (int i = 0; i < needed.length; i++) {
      needed[i] = built(file.getDependency(i), files);
    }
    return FileDescriptor.buildFrom(file, needed);
  }

  private static FileDescriptor built(String name) throws Exception {
    return built(name, needed -> ServiceFiles.all().file(needed).get(0));
  }

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

  private static void check(FileDescriptor theirs) throws Exception {
    Set<String> ours = lines(built(theirs.getName()));
    ours.removeAll(YOUNGER);
    assertThat(ours).isNotEmpty().isSubsetOf(lines(theirs));
  }

  @Test
  @SuppressWarnings("deprecation") // the older version is there for those who still use it
  void namesNumbersAndTypesAreThoseOfTheOriginals() throws Exception {
    check(RlsProto.getDescriptor());
    check(RatelimitProto.getDescriptor());
    check(RatelimitUnitProto.getDescriptor());
    for (FileDescriptor whole :
        new FileDescriptor[] {
          ServerReflectionProto.getDescriptor(),
          io.grpc.reflection.v1alpha.ServerReflectionProto.getDescriptor()
        }) {
      assertThat(lines(built(nameOf(whole))).toString()).isEqualTo(lines(whole).toString());
    }
    assertThat(lines(HealthProto.getDescriptor()))
        .containsAll(lines(built("grpc/health/v1/health.proto")));
  }

  /** Where gRPC for Java keeps the file is its own affair. */
  private static String nameOf(FileDescriptor file) {
    return file.getPackage().replace('.', '/') + "/reflection.proto";
  }
}
