package dev.sash.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** How a client sees a call that failed. */
record Denied(StatusRuntimeException failure) {
  static Denied by(ThrowingCallable call) {
    StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class, call);
    assertThat(failure).as("the call was not denied").isNotNull();
    return new Denied(failure);
  }

  Status.Code code() {
    return failure.getStatus().getCode();
  }

  String description() {
    return String.valueOf(failure.getStatus().getDescription());
  }

  com.google.rpc.Status details() {
    return StatusProto.fromThrowable(failure);
  }

  /** What the one detail, a RetryInfo, says. */
  Duration retryAfter() throws InvalidProtocolBufferException {
    assertThat(details().getCode()).isEqualTo(code().value());
    assertThat(details().getDetailsList()).hasSize(1);
    com.google.protobuf.Duration delay =
        details().getDetails(0).unpack(RetryInfo.class).getRetryDelay();
    return Duration.ofSeconds(delay.getSeconds(), delay.getNanos());
  }

  String pushback() {
    return failure
        .getTrailers()
        .get(Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER));
  }
}
