package dev.sash.server.rls;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.DurationProto;
import com.google.protobuf.TextFormat;
import com.google.protobuf.WrappersProto;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The .proto files behind the services, compiled, as reflection tells them. They are read when the
 * first client asks: most never do, and protobuf takes a moment to get ready. Immutable.
 */
final class ServiceFiles {
  private final Map<String, FileDescriptorProto> byName = new LinkedHashMap<>();
  private final Map<String, String> nameBySymbol = new HashMap<>();
  private final List<String> services = new ArrayList<>();

  /** Made at the first use of this class, and no earlier. */
  private static final class Holder {
    static final ServiceFiles ALL = new ServiceFiles();
  }

  private ServiceFiles() {
    put(DurationProto.getDescriptor().toProto());
    put(WrappersProto.getDescriptor().toProto());
    putAll(resource("rls.txtpb"));
    putAll(resource("health.txtpb"));
    String reflection = resource("reflection.txtpb");
    putAll(reflection);
    putAll(
        reflection
            .replace("grpc.reflection.v1", "grpc.reflection.v1alpha")
            .replace("grpc/reflection/v1", "grpc/reflection/v1alpha"));
  }

  static ServiceFiles all() {
    return Holder.ALL;
  }

  /** The full names of the services. */
  List<String> services() {
    return services;
  }

  /**
   * A file and those that it needs, itself first.
   *
   * @param name such as {@code envoy/service/ratelimit/v3/rls.proto}
   * @return empty if there is none
   */
  List<FileDescriptorProto> file(@Nullable String name) {
    Map<String, FileDescriptorProto> found = new LinkedHashMap<>();
    collect(name, found);
    return List.copyOf(found.values());
  }

  /**
   * The file that holds a service, method, message or enumeration, and those that it needs.
   *
   * @param symbol the full name
   * @return empty if there is none
   */
  List<FileDescriptorProto> fileOf(String symbol) {
    return file(nameBySymbol.get(symbol));
  }

  private void collect(@Nullable String name, Map<String, FileDescriptorProto> found) {
    FileDescriptorProto file = byName.get(name);
    if (file != null && found.putIfAbsent(file.getName(), file) == null) {
      file.getDependencyList().forEach(needed -> collect(needed, found));
    }
  }

  private void putAll(String text) {
    FileDescriptorSet.Builder set = FileDescriptorSet.newBuilder();
    try {
      TextFormat.merge(text, set);
    } catch (TextFormat.ParseException e) {
      throw new IllegalStateException("a description of the services is broken", e);
    }
    set.getFileList().forEach(this::put);
  }

  private void put(FileDescriptorProto file) {
    byName.put(file.getName(), file);
    String scope = file.getPackage() + ".";
    file.getMessageTypeList().forEach(message -> put(scope, message, file));
    for (EnumDescriptorProto enumeration : file.getEnumTypeList()) {
      nameBySymbol.put(scope + enumeration.getName(), file.getName());
    }
    for (ServiceDescriptorProto service : file.getServiceList()) {
      String name = scope + service.getName();
      services.add(name);
      nameBySymbol.put(name, file.getName());
      service
          .getMethodList()
          .forEach(method -> nameBySymbol.put(name + "." + method.getName(), file.getName()));
    }
  }

  private void put(String scope, DescriptorProto message, FileDescriptorProto file) {
    String name = scope + message.getName();
    nameBySymbol.put(name, file.getName());
    message.getNestedTypeList().forEach(nested -> put(name + ".", nested, file));
    for (EnumDescriptorProto enumeration : message.getEnumTypeList()) {
      nameBySymbol.put(name + "." + enumeration.getName(), file.getName());
    }
  }

  private static String resource(String name) {
    try (InputStream in = ServiceFiles.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("resource " + name + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
