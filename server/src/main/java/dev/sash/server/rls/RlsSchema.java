package dev.sash.server.rls;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.DurationProto;
import com.google.protobuf.StructProto;
import com.google.protobuf.TextFormat;
import com.google.protobuf.WrappersProto;
import io.grpc.protobuf.ProtoServiceDescriptorSupplier;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The .proto files of Envoy's service, for clients that use reflection. They are read at the first
 * reflection request: most servers never receive one, and protobuf takes a moment to initialize.
 */
final class RlsSchema implements ProtoServiceDescriptorSupplier {
  private static final String FILE = "envoy/service/ratelimit/v3/rls.proto";

  /** Made at the first use of this class, and no earlier. */
  private static final class Holder {
    static final FileDescriptor FILE_DESCRIPTOR = read();
  }

  @Override
  public FileDescriptor getFileDescriptor() {
    return Holder.FILE_DESCRIPTOR;
  }

  @Override
  public ServiceDescriptor getServiceDescriptor() {
    return getFileDescriptor().findServiceByName("RateLimitService");
  }

  private static FileDescriptor read() {
    Map<String, FileDescriptor> files = new HashMap<>();
    for (FileDescriptor known :
        List.of(
            DurationProto.getDescriptor(),
            StructProto.getDescriptor(),
            WrappersProto.getDescriptor())) {
      files.put(known.getName(), known);
    }
    try (InputStream in = RlsSchema.class.getResourceAsStream("rls.txtpb")) {
      byte[] text = Objects.requireNonNull(in, "resource rls.txtpb is missing").readAllBytes();
      FileDescriptorSet.Builder set = FileDescriptorSet.newBuilder();
      TextFormat.merge(new String(text, StandardCharsets.UTF_8), set);
      for (FileDescriptorProto file : set.getFileList()) {
        FileDescriptor[] needed =
            file.getDependencyList().stream().map(files::get).toArray(FileDescriptor[]::new);
        files.put(file.getName(), FileDescriptor.buildFrom(file, needed));
      }
    } catch (IOException | DescriptorValidationException e) {
      throw new IllegalStateException("the description of the service is broken", e);
    }
    return Objects.requireNonNull(files.get(FILE));
  }
}
