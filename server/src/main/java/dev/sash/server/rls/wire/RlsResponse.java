package dev.sash.server.rls.wire;

import com.google.protobuf.Struct;
import java.util.List;

/**
 * {@code envoy.service.ratelimit.v3.RateLimitResponse}.
 *
 * @param overLimit whether the request is denied
 * @param statuses of each descriptor, in order
 * @param metadata dynamic metadata; empty if there is none
 */
public record RlsResponse(boolean overLimit, List<RlsStatus> statuses, Struct metadata) {
  /** Returns the message as it is sent. */
  public byte[] toBytes() {
    return Protobuf.message(
        out -> {
          out.writeEnum(1, RlsStatus.code(overLimit));
          for (RlsStatus status : statuses) {
            out.writeByteArray(2, Protobuf.message(status::write));
          }
          if (metadata.getFieldsCount() > 0) {
            out.writeMessage(6, metadata);
          }
        });
  }
}
