package dev.sash.server.rls;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@code grpc.health.v1.Health}, for the server as a whole and for Envoy's service: serving until
 * it is drained. What Redis does changes nothing: failure rules decide without it. Thread-safe.
 */
final class Health {
  private static final int SERVING = 1;
  private static final int NOT_SERVING = 2;
  private static final int SERVICE_UNKNOWN = 3;

  private final Set<String> services;
  private final Set<Watch> watches = ConcurrentHashMap.newKeySet();
  private volatile int state = SERVING;

  /** A client that wants to hear of changes. */
  private final class Watch {
    private final GrpcCall call;
    private int told;

    Watch(GrpcCall call) {
      this.call = call;
    }

    void tell() {
      int now = state;
      if (now != told) {
        told = now;
        call.send(response(now));
      }
    }
  }

  /**
   * Health of services.
   *
   * @param service the name of the one that is told beside the whole, which has none
   */
  Health(String service) {
    this.services = Set.of("", service);
  }

  /** The method {@code Check}. */
  CompletionStage<byte[]> check(byte[] message) {
    if (!services.contains(service(message))) {
      throw new GrpcException(GrpcStatus.NOT_FOUND, "there is no such service");
    }
    return CompletableFuture.completedStage(response(state));
  }

  /** The method {@code Watch}: the state now, and whenever it changes. */
  void watch(GrpcCall call) {
    call.serverStreaming(
        message -> {
          if (!services.contains(service(message))) {
            call.send(response(SERVICE_UNKNOWN)); // and nothing more: services do not come and go
            return;
          }
          Watch watch = new Watch(call);
          watches.add(watch);
          call.onFinish(() -> watches.remove(watch));
          watch.tell();
        });
  }

  /** From now on no service is serving. */
  void drain() {
    state = NOT_SERVING;
    watches.forEach(watch -> watch.call.execute(watch::tell));
  }

  /** Ends the watches. */
  void close() {
    GrpcException ended = new GrpcException(GrpcStatus.UNAVAILABLE, "the server ends");
    watches.forEach(watch -> watch.call.execute(() -> watch.call.fail(ended)));
  }

  private static String service(byte[] message) {
    try {
      CodedInputStream in = CodedInputStream.newInstance(message);
      String service = "";
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (tag == Wire.BYTES_1) {
          service = in.readStringRequireUtf8();
        } else {
          Wire.skip(in, tag);
        }
      }
      return service;
    } catch (IOException e) {
      throw GrpcException.invalid("the message is no HealthCheckRequest");
    }
  }

  private static byte[] response(int status) {
    return Wire.message(out -> out.writeEnum(1, status));
  }
}
