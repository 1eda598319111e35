package dev.sash.spring;

import com.google.protobuf.StringValue;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCalls;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;

/** An application with a gRPC server that Spring Boot starts, and a client of it. */
final class GrpcShop implements AutoCloseable {
  static final MethodDescriptor<StringValue, StringValue> FIND = method("shop.Search/Find");
  static final MethodDescriptor<StringValue, StringValue> SUGGEST = method("shop.Search/Suggest");
  static final MethodDescriptor<StringValue, StringValue> PLACE = method("shop.Orders/Place");
  static final MethodDescriptor<StringValue, StringValue> EXPORT = method("shop.Orders/Export");

  /** What the services answer. */
  static final class Answer implements Supplier<String> {
    volatile Supplier<String> text = () -> "done";

    @Override
    public String get() {
      return text.get();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {
    @Bean
    Answer answer() {
      return new Answer();
    }

    @Bean
    BindableService search(Answer answer) {
      return () -> service("shop.Search", answer, FIND, SUGGEST);
    }

    @Bean
    BindableService orders(Answer answer) {
      return () -> service("shop.Orders", answer, PLACE, EXPORT);
    }
  }

  private final TestApp app;
  private final ManagedChannel channel;

  private GrpcShop(TestApp app) {
    this.app = app;
    this.channel =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(
                    InetAddress.getLoopbackAddress(),
                    app.bean(GrpcServerLifecycle.class).getPort()))
            .usePlaintext()
            .build();
  }

  static GrpcShop start(TestApp.Builder builder) {
    return new GrpcShop(builder.withGrpc().start());
  }

  /** In memory, with properties below {@code sash.policies}. */
  static GrpcShop start(String... policies) {
    return start(with(TestApp.plain(Application.class, TimedStore.class), policies));
  }

  static TestApp.Builder with(TestApp.Builder builder, String... policies) {
    for (String policy : policies) {
      builder.with("sash.policies." + policy);
    }
    return builder;
  }

  TestApp app() {
    return app;
  }

  ManagedChannel channel() {
    return channel;
  }

  void answer(Supplier<String> text) {
    app.bean(Answer.class).text = text;
  }

  /** Calls with metadata: names and values in turn. */
  String call(MethodDescriptor<StringValue, StringValue> method, String... metadata) {
    try {
      return callLater(method, metadata).get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StatusRuntimeException failure) {
        throw failure;
      }
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  Future<String> callLater(MethodDescriptor<StringValue, StringValue> method, String... metadata) {
    Metadata headers = new Metadata();
    for (int i = 0; i < metadata.length; i += 2) {
      headers.put(Metadata.Key.of(metadata[i], Metadata.ASCII_STRING_MARSHALLER), metadata[i + 1]);
    }
    Channel with =
        ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
    CallOptions patiently = CallOptions.DEFAULT.withDeadlineAfter(1, TimeUnit.MINUTES);
    CompletableFuture<String> answer = new CompletableFuture<>();
    ClientCalls.asyncUnaryCall(
        with.newCall(method, patiently), StringValue.of("hello"), new Completion(answer));
    return answer;
  }

  /** The metadata of a user of Spring Security. */
  static String[] basic(String user) {
    byte[] credentials = (user + ":secret").getBytes(StandardCharsets.UTF_8);
    return new String[] {
      "authorization", "Basic " + Base64.getEncoder().encodeToString(credentials)
    };
  }

  /** Completes a future with what is answered. */
  private record Completion(CompletableFuture<String> answer)
      implements io.grpc.stub.StreamObserver<StringValue> {
    @Override
    public void onNext(StringValue value) {
      answer.complete(value.getValue());
    }

    @Override
    public void onError(Throwable failure) {
      answer.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {}
  }

  @Override
  public void close() {
    channel.shutdownNow();
    app.close();
  }

  @SafeVarargs
  private static ServerServiceDefinition service(
      String name, Answer answer, MethodDescriptor<StringValue, StringValue>... methods) {
    ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(name);
    for (MethodDescriptor<StringValue, StringValue> method : methods) {
      service.addMethod(
          method,
          ServerCalls.asyncUnaryCall(
              (request, responses) -> {
                responses.onNext(StringValue.of(answer.get()));
                responses.onCompleted();
              }));
    }
    return service.build();
  }

  private static MethodDescriptor<StringValue, StringValue> method(String name) {
    return MethodDescriptor.<StringValue, StringValue>newBuilder()
        .setType(MethodType.UNARY)
        .setFullMethodName(name)
        .setRequestMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
        .setResponseMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
        .build();
  }
}
