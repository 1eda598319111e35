package dev.sash.server.rls.wire;

import com.google.protobuf.CodedOutputStream;
import dev.sash.Decision;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus}.
 *
 * @param overLimit whether the descriptor denies the request
 * @param currentLimit the limit that holds; null if none does
 * @param remaining what is left
 * @param untilReset how long to wait; null if that is not known
 */
public record RlsStatus(
    boolean overLimit,
    @Nullable CurrentLimit currentLimit,
    long remaining,
    @Nullable Duration untilReset) {
  /** No limit is configured. */
  public static final RlsStatus UNMATCHED = new RlsStatus(false, null, 0, null);

  /** It is configured that there is no limit. */
  public static final RlsStatus UNLIMITED = new RlsStatus(false, null, 0xffff_ffffL, null);

  private static final int OK = 1;
  private static final int OVER_LIMIT = 2;

  /**
   * {@code RateLimitResponse.RateLimit}.
   *
   * @param requestsPerUnit how many
   * @param unit the unit's number, 0 if Envoy has none for the window
   * @param name the limit's, empty if it has none
   */
  public record CurrentLimit(long requestsPerUnit, int unit, String name) {}

  /**
   * What a decision means to Envoy: the wait of one denied, the time until all is free of others.
   */
  public static RlsStatus of(Decision decision, boolean overLimit, CurrentLimit limit) {
    Duration reset = decision.allowed() ? decision.resetAfter() : decision.retryAfter();
    return new RlsStatus(
        overLimit, limit, decision.remaining(), decision.neverAllowed() ? null : reset);
  }

  /** Writes its fields. */
  void write(CodedOutputStream out) throws IOException {
    out.writeEnum(1, code(overLimit));
    if (currentLimit != null) {
      CurrentLimit limit = currentLimit;
      out.writeByteArray(2, Protobuf.message(nested -> write(nested, limit)));
    }
    if (remaining > 0) {
      out.writeUInt32(3, (int) remaining);
    }
    if (untilReset != null) {
      Duration duration = untilReset;
      out.writeByteArray(4, Protobuf.message(nested -> write(nested, duration)));
    }
  }

  private static void write(CodedOutputStream out, CurrentLimit limit) throws IOException {
    if (limit.requestsPerUnit > 0) {
      out.writeUInt32(1, (int) limit.requestsPerUnit);
    }
    if (limit.unit > 0) {
      out.writeEnum(2, limit.unit);
    }
    if (!limit.name.isEmpty()) {
      out.writeString(3, limit.name);
    }
  }

  private static void write(CodedOutputStream out, Duration duration) throws IOException {
    if (duration.toSeconds() > 0) {
      out.writeInt64(1, duration.toSeconds());
    }
    if (duration.toNanosPart() > 0) {
      out.writeInt32(2, duration.toNanosPart());
    }
  }

  static int code(boolean overLimit) {
    return overLimit ? OVER_LIMIT : OK;
  }
}
