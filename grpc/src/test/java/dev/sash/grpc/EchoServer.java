package dev.sash.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A real gRPC server on the loopback interface that says what it is told, and a client of it. */
final class EchoServer implements AutoCloseable {
  static final MethodDescriptor<String, String> SAY = method("test.Echo/Say", MethodType.UNARY);
  static final MethodDescriptor<String, String> SHOUT = method("test.Echo/Shout", MethodType.UNARY);
  static final MethodDescriptor<String, String> TALK =
      method("test.Echo/Talk", MethodType.BIDI_STREAMING);
  static final MethodDescriptor<String, String> HEALTH =
      method("grpc.health.v1.Health/Check", MethodType.UNARY);
  static final MethodDescriptor<String, String> REFLECTION =
      method("grpc.reflection.v1.ServerReflection/ServerReflectionInfo", MethodType.UNARY);

  private final AtomicInteger handled = new AtomicInteger();

  /** One thread alone: a call that blocked it would block all. */
  private final ExecutorService executor = Executors.newSingleThreadExecutor();

  private final Server server;
  private final ManagedChannel channel;

  /** What a unary call answers. */
  volatile UnaryOperator<String> answer = text -> text;

  /** Interceptors in the order in which they are called. */
  EchoServer(ServerInterceptor... interceptors) throws IOException {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    NettyServerBuilder builder = NettyServerBuilder.forAddress(anyPort).executor(executor);
    for (ServerServiceDefinition service :
        new ServerServiceDefinition[] {
          ServerServiceDefinition.builder("test.Echo")
              .addMethod(SAY, ServerCalls.asyncUnaryCall(this::say))
              .addMethod(SHOUT, ServerCalls.asyncUnaryCall(this::say))
              .addMethod(TALK, ServerCalls.asyncBidiStreamingCall(this::talk))
              .build(),
          ServerServiceDefinition.builder("grpc.health.v1.Health")
              .addMethod(HEALTH, ServerCalls.asyncUnaryCall(this::say))
              .build(),
          ServerServiceDefinition.builder("grpc.reflection.v1.ServerReflection")
              .addMethod(REFLECTION, ServerCalls.asyncUnaryCall(this::say))
              .build()
        }) {
      builder.addService(ServerInterceptors.interceptForward(service, interceptors));
    }
    server = builder.build().start();
    channel = channel(null);
  }

  /** Another client; with a service configuration if it is to retry by itself. */
  ManagedChannel channel(@Nullable Map<String, ?> serviceConfig) {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort()))
            .usePlaintext();
    return serviceConfig == null
        ? builder.build()
        : builder.defaultServiceConfig(serviceConfig).enableRetry().build();
  }

  Channel channel() {
    return channel;
  }

  /** How many calls have come through to the service. */
  int handled() {
    return handled.get();
  }

  /** Calls and waits for the answer; what is not answered within a minute has failed. */
  String call(MethodDescriptor<String, String> method) {
    return call(channel, method);
  }

  static String call(Channel channel, MethodDescriptor<String, String> method) {
    return ClientCalls.blockingUnaryCall(channel, method, patiently(), "hello");
  }

  /** The same with metadata: names and values in turn. */
  String callWith(MethodDescriptor<String, String> method, String... metadata) {
    return call(channelWith(metadata), method);
  }

  Channel channelWith(String... metadata) {
    Metadata headers = new Metadata();
    for (int i = 0; i < metadata.length; i += 2) {
      headers.put(Metadata.Key.of(metadata[i], Metadata.ASCII_STRING_MARSHALLER), metadata[i + 1]);
    }
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  static CallOptions patiently() {
    return CallOptions.DEFAULT.withDeadlineAfter(1, TimeUnit.MINUTES);
  }

  private void say(String text, StreamObserver<String> responses) {
    handled.incrementAndGet();
    responses.onNext(answer.apply(text));
    responses.onCompleted();
  }

  private StreamObserver<String> talk(StreamObserver<String> responses) {
    handled.incrementAndGet();
    return new StreamObserver<>() {
      @Override
      public void onNext(String text) {
        responses.onNext(text);
      }

      @Override
      public void onError(Throwable failure) {}

      @Override
      public void onCompleted() {
        responses.onCompleted();
      }
    };
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
    try {
      if (!server.awaitTermination(1, TimeUnit.MINUTES)) {
        throw new AssertionError("the server does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    executor.shutdown();
  }

  private static MethodDescriptor<String, String> method(String name, MethodType type) {
    return MethodDescriptor.<String, String>newBuilder()
        .setFullMethodName(name)
        .setType(type)
        .setRequestMarshaller(new Text())
        .setResponseMarshaller(new Text())
        .build();
  }

  private static final class Text implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String text) {
      return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String parse(InputStream stream) {
      try {
        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
