package dev.sash.server.rls;

import static dev.sash.server.rls.domain.EnvoyFiles.minutely;
import static dev.sash.server.rls.domain.EnvoyFiles.one;
import static dev.sash.server.rls.domain.EnvoyFiles.shop;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** gRPC's own stubs for reflection, of both versions. */
@Timeout(60)
class ReflectionIT {
  private static final String RLS = "envoy.service.ratelimit.v3.RateLimitService";

  private static final Path PAGE = Path.of("..", "docs", "rls.md");

  private static RlsServer server;

  @BeforeAll
  static void start() {
    server = new RlsServer(shop(one("path", "/login", minutely(2))));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** Collects until the end. */
  private static final class Collected<T> implements StreamObserver<T> {
    final List<T> all = new ArrayList<>();
    final BlockingQueue<String> end = new LinkedBlockingQueue<>();

    @Override
    public void onNext(T response) {
      all.add(response);
    }

    @Override
    public void onError(Throwable failure) {
      end.add(failure.getMessage());
    }

    @Override
    public void onCompleted() {
      end.add("completed");
    }
  }

  private static List<ServerReflectionResponse> ask(ServerReflectionRequest... requests)
      throws InterruptedException {
    Collected<ServerReflectionResponse> collected = new Collected<>();
    StreamObserver<ServerReflectionRequest> stream =
        ServerReflectionGrpc.newStub(server.channel).serverReflectionInfo(collected);
    for (ServerReflectionRequest request : requests) {
      stream.onNext(request);
    }
    stream.onCompleted();
    assertThat(collected.end.poll(30, TimeUnit.SECONDS)).isEqualTo("completed");
    return collected.all;
  }

  private static ServerReflectionRequest.Builder request() {
    return ServerReflectionRequest.newBuilder().setHost("here");
  }

  private static List<String> files(ServerReflectionResponse response) throws Exception {
    List<String> names = new ArrayList<>();
    for (ByteString file : response.getFileDescriptorResponse().getFileDescriptorProtoList()) {
      names.add(FileDescriptorProto.parseFrom(file).getName());
    }
    return names;
  }

  /** A file with all that it needs. */
  private static FileDescriptor built(String name, Map<String, FileDescriptorProto> files)
      throws Exception {
    FileDescriptorProto file = files.get(name);
    FileDescriptor[] needed = new FileDescriptor[file.getDependencyCount()];
    for (int i = 0; i < needed.length; i++) {
      needed[i] = built(file.getDependency(i), files);
    }
    return FileDescriptor.buildFrom(file, needed);
  }

  @Test
  void listsServices() throws Exception {
    ServerReflectionRequest list = request().setListServices("*").build();

    ServerReflectionResponse response = ask(list).get(0);

    assertThat(response.getValidHost()).isEqualTo("here");
    assertThat(response.getOriginalRequest()).isEqualTo(list);
    assertThat(response.getListServicesResponse().getServiceList())
        .extracting(ServiceResponse::getName)
        .containsExactlyInAnyOrder(
            RLS,
            "grpc.health.v1.Health",
            "grpc.reflection.v1.ServerReflection",
            "grpc.reflection.v1alpha.ServerReflection");
  }

  @Test
  void findsFilesBySymbolAndNameWithAllThatTheyNeed() throws Exception {
    List<ServerReflectionResponse> responses =
        ask(
            request().setFileContainingSymbol(RLS).build(),
            request().setFileContainingSymbol(RLS + ".ShouldRateLimit").build(),
            request().setFileByFilename("envoy/service/ratelimit/v3/rls.proto").build(),
            request().setFileContainingSymbol("google.protobuf.UInt64Value").build());

    for (ServerReflectionResponse response : responses.subList(0, 3)) {
      assertThat(files(response))
          .containsExactlyInAnyOrder(
              "envoy/service/ratelimit/v3/rls.proto",
              "envoy/extensions/common/ratelimit/v3/ratelimit.proto",
              "envoy/type/v3/ratelimit_unit.proto",
              "google/protobuf/wrappers.proto",
              "google/protobuf/duration.proto",
              "google/protobuf/struct.proto");
    }
    assertThat(files(responses.get(3))).containsExactly("google/protobuf/wrappers.proto");
  }

  /**
   * As grpcurl does it, with the message of its example: a client that has nothing but the page.
   */
  @Test
  void aClientThatKnowsOnlyWhatReflectionTellsCanCall() throws Exception {
    Matcher example =
        Pattern.compile("grpcurl -plaintext -d '(.*)'").matcher(Files.readString(PAGE));
    assertThat(example.find()).isTrue();
    ServerReflectionResponse told = ask(request().setFileContainingSymbol(RLS).build()).get(0);
    Map<String, FileDescriptorProto> files = new HashMap<>();
    for (ByteString file : told.getFileDescriptorResponse().getFileDescriptorProtoList()) {
      FileDescriptorProto proto = FileDescriptorProto.parseFrom(file);
      files.put(proto.getName(), proto);
    }
    ServiceDescriptor service =
        built("envoy/service/ratelimit/v3/rls.proto", files).findServiceByName("RateLimitService");
    MethodDescriptor method = service.findMethodByName("ShouldRateLimit");
    DynamicMessage.Builder message = DynamicMessage.newBuilder(method.getInputType());
    JsonFormat.parser().merge(example.group(1), message);
    io.grpc.MethodDescriptor<Message, Message> call =
        io.grpc.MethodDescriptor.<Message, Message>newBuilder()
            .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(RLS + "/" + method.getName())
            .setRequestMarshaller(
                ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getInputType())))
            .setResponseMarshaller(
                ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getOutputType())))
            .build();

    Message response =
        ClientCalls.blockingUnaryCall(server.channel, call, CallOptions.DEFAULT, message.build());

    assertThat(JsonFormat.printer().omittingInsignificantWhitespace().print(response))
        .startsWith("{\"overallCode\":\"OK\",\"statuses\":[{\"code\":\"OK\",\"currentLimit\":")
        .contains("\"requestsPerUnit\":2,\"unit\":\"MINUTE\"");
  }

  @Test
  @SuppressWarnings("deprecation")
  void theOlderVersionAnswersTheSame() throws Exception {
    Collected<io.grpc.reflection.v1alpha.ServerReflectionResponse> collected = new Collected<>();
    var stream =
        io.grpc.reflection.v1alpha.ServerReflectionGrpc.newStub(server.channel)
            .serverReflectionInfo(collected);
    stream.onNext(
        io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
            .setListServices("")
            .build());
    stream.onCompleted();

    assertThat(collected.end.poll(30, TimeUnit.SECONDS)).isEqualTo("completed");
    assertThat(collected.all.get(0).getListServicesResponse().getServiceCount()).isEqualTo(4);
  }
}
