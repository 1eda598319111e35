package dev.sash.grpc;

import com.google.protobuf.Any;
import com.google.rpc.RetryInfo;
import dev.sash.Decision;
import dev.sash.Decision.Source;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import java.time.Duration;

/** Closes denied calls with a status and the time to retry after. Keys are never disclosed. */
final class DeniedCall {
  private static final Metadata.Key<com.google.rpc.Status> DETAILS =
      Metadata.Key.of(
          "grpc-status-details-bin",
          ProtoUtils.metadataMarshaller(com.google.rpc.Status.getDefaultInstance()));

  /** Followed by clients that have a retry policy; see gRFC A6. */
  private static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  private static final String NO_RETRY = "-1";

  private DeniedCall() {}

  /** Closes a denied call. */
  static void close(ServerCall<?, ?> call, String policy, Decision denied) {
    if (denied.neverAllowed()) {
      Metadata trailers = new Metadata();
      trailers.put(PUSHBACK, NO_RETRY);
      String text = "this call costs more than limit '" + policy + "' ever admits";
      call.close(Status.RESOURCE_EXHAUSTED.withDescription(text), trailers);
      return;
    }
    boolean unknown = denied.source() == Source.FAILURE_RULE;
    Status status = unknown ? Status.UNAVAILABLE : Status.RESOURCE_EXHAUSTED;
    String what = unknown ? "cannot be checked at the moment" : "exceeded";
    Duration wait = denied.retryAfter();
    String text = "limit '" + policy + "' " + what + ", retry after " + seconds(wait) + " s";
    call.close(status.withDescription(text), trailers(status, text, wait));
  }

  private static Metadata trailers(Status status, String text, Duration wait) {
    RetryInfo retry =
        RetryInfo.newBuilder()
            .setRetryDelay(
                com.google.protobuf.Duration.newBuilder()
                    .setSeconds(wait.toSeconds())
                    .setNanos(wait.toNanosPart()))
            .build();
    Metadata trailers = new Metadata();
    trailers.put(
        DETAILS,
        com.google.rpc.Status.newBuilder()
            .setCode(status.getCode().value())
            .setMessage(text)
            .addDetails(Any.pack(retry))
            .build());
    trailers.put(PUSHBACK, Long.toString(wait.plusNanos(999_999).toMillis()));
    return trailers;
  }

  private static long seconds(Duration wait) {
    return wait.plusNanos(999_999_999).toSeconds();
  }
}
