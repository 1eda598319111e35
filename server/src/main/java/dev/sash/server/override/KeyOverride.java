package dev.sash.server.override;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.Limit;
import dev.sash.Policy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What applies to some keys of a policy instead of its limits. Immutable.
 *
 * @param target the policy and its keys
 * @param effect what happens to their requests
 * @param limits the limits, 1 to 8; empty unless the effect is {@link Effect#LIMITS}
 * @param reason why, 1 to 500 bytes of UTF-8
 * @param author who set it, 1 to 100 bytes of UTF-8
 * @param created when it was set, in whole milliseconds
 * @param expires when it ends, in whole milliseconds, at most 366 days after it was set; null if it
 *     does not end
 */
public record KeyOverride(
    Target target,
    Effect effect,
    List<Limit> limits,
    String reason,
    String author,
    Instant created,
    @Nullable Instant expires) {
  /** The longest time for which an override can be set. */
  public static final Duration LONGEST = Duration.ofDays(366);

  /** The most limits. */
  public static final int MAX_LIMITS = 8;

  private static final int MAX_REASON_BYTES = 500;
  private static final int MAX_AUTHOR_BYTES = 100;

  /** About what an object takes besides its texts. */
  private static final int OBJECT_BYTES = 200;

  /** Checks everything. */
  public KeyOverride {
    Objects.requireNonNull(target, "target must not be null");
    limits = List.copyOf(limits);
    checkLimits(effect, limits);
    checkReason(reason);
    checkAuthor(author);
    created = created.truncatedTo(ChronoUnit.MILLIS);
    if (expires != null) {
      expires = expires.truncatedTo(ChronoUnit.MILLIS);
      if (!expires.isAfter(created) || expires.isAfter(created.plus(LONGEST))) {
        throw new IllegalArgumentException(
            "expiry must be after " + created + " and at most 366 days later, was " + expires);
      }
    }
  }

  private static void checkLimits(Effect effect, List<Limit> limits) {
    if (effect != Effect.LIMITS && !limits.isEmpty()) {
      throw new IllegalArgumentException(
          "limits must not be given with the effect " + effect.id() + ", were " + limits);
    }
    if (effect == Effect.LIMITS) {
      if (limits.isEmpty() || limits.size() > MAX_LIMITS) {
        throw new IllegalArgumentException(
            "limits must be 1 to " + MAX_LIMITS + ", were " + limits.size());
      }
      var unused = Policy.internal("override").withLimits(limits); // they must differ in kind
    }
  }

  /**
   * Returns a reason after checking it.
   *
   * @param reason 1 to 500 bytes of UTF-8, without control characters
   * @return the reason
   */
  public static String checkReason(String reason) {
    return TextRule.checked("reason", MAX_REASON_BYTES, reason);
  }

  /**
   * Returns an author after checking it.
   *
   * @param author 1 to 100 bytes of UTF-8, without control characters
   * @return the author
   */
  public static String checkAuthor(String author) {
    return TextRule.checked("author", MAX_AUTHOR_BYTES, author);
  }

  /**
   * Returns whether it applies.
   *
   * @param nowMillis the time in milliseconds since 1970
   * @return false from the moment on in which it expires
   */
  public boolean isInForce(long nowMillis) {
    return expires == null || nowMillis < expires.toEpochMilli();
  }

  /** Returns about how much memory it takes, by which their sum is bounded. */
  int weight() {
    int bytes = OBJECT_BYTES;
    for (String text : List.of(target.policy(), target.text(), reason, author)) {
      bytes += text.getBytes(UTF_8).length;
    }
    for (Limit limit : limits) {
      bytes += limit.toString().length();
    }
    return bytes;
  }
}
