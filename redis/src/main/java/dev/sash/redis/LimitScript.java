package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How a list of limits on one key is asked of Redis: by which script, with which arguments, and
 * what the reply means. Keys are given in the order of the limits. Immutable.
 */
final class LimitScript {
  private static final int HIGH_PART_BITS = 32;

  private final List<Limit> limits;
  private final Script script;
  private final String[] limitArguments;

  LimitScript(List<Limit> limits) {
    this(limits, Script.of(limits));
  }

  LimitScript(List<Limit> limits, Script script) {
    this.limits = List.copyOf(limits);
    this.script = script;
    this.limitArguments =
        limits.stream().flatMap(limit -> arguments(limit).stream()).toArray(String[]::new);
  }

  private static List<String> arguments(Limit limit) {
    long extra =
        switch (limit.algorithm()) {
          case SLIDING_LOG -> limit.cells();
          case TOKEN_BUCKET -> limit.permits();
          case SLIDING_COUNTER, FIXED_WINDOW -> 0;
        };
    return List.of(
        limit.algorithm().id(),
        Long.toString(limit.capacity()),
        Long.toString(limit.windowMicros()),
        Long.toString(extra));
  }

  /** The limits, in the order of the keys. */
  List<Limit> limits() {
    return limits;
  }

  /** What to load and to call. */
  Script script() {
    return script;
  }

  /** The arguments to spend permits; 0 only looks. */
  String[] acquire(long permits) {
    return arguments("acquire", permits);
  }

  /** The arguments to give permits back. */
  String[] refund(long permits) {
    return arguments("refund", permits);
  }

  /** The arguments to see what is kept. */
  String[] inspect() {
    return arguments("inspect", 0);
  }

  private String[] arguments(String operation, long permits) {
    String[] arguments = new String[2 + limitArguments.length];
    arguments[0] = operation;
    arguments[1] = Long.toString(permits);
    System.arraycopy(limitArguments, 0, arguments, 2, limitArguments.length);
    return arguments;
  }

  /**
   * The decision that the reply to {@link #acquire} or {@link #refund} tells.
   *
   * @param reply integers, as an array reply of Redis is read
   * @return the decision, from the store
   */
  Decision decision(List<?> reply) {
    Limit decidedBy = limits.get((int) number(reply, 1) - 1);
    long used = number(reply, 2);
    long remaining = number(reply, 3);
    boolean isLong = reply.size() > 6;
    long retryAfter = number(reply, 4) + (isLong ? number(reply, 6) << HIGH_PART_BITS : 0);
    long resetAfter = number(reply, 5) + (isLong ? number(reply, 7) << HIGH_PART_BITS : 0);
    return switch ((int) number(reply, 0)) {
      case 1 -> Decision.allowed(decidedBy, used, remaining, resetAfter, Source.STORE);
      case 0 -> Decision.denied(decidedBy, used, remaining, retryAfter, resetAfter, Source.STORE);
      case -1 -> Decision.impossible(decidedBy, used, remaining, resetAfter, Source.STORE);
      default -> throw new IllegalStateException("not the reply of a limiter's script: " + reply);
    };
  }

  /**
   * What the reply to {@link #inspect} tells.
   *
   * @param reply integers, as an array reply of Redis is read
   * @return one state for each limit, in their order
   */
  List<KeyState> states(List<?> reply) {
    List<KeyState> states = new ArrayList<>();
    for (int i = 0; i < limits.size(); i++) {
      Duration timeToLive = Duration.ofMillis(Math.max(0, number(reply, 3 * i + 2)));
      states.add(
          new KeyState(limits.get(i), number(reply, 3 * i), number(reply, 3 * i + 1), timeToLive));
    }
    return states;
  }

  private static long number(List<?> reply, int index) {
    if (index < reply.size() && reply.get(index) instanceof Long number) {
      return number;
    }
    throw new IllegalStateException("not the reply of a limiter's script: " + reply);
  }
}
