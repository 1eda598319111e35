package dev.sash.server.resp;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.server.engine.Engine;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@code CL.THROTTLE key max_burst count period [quantity]}, as the module redis-cell has it: a
 * token bucket whose limit comes with the request. The reply is five integers: 0 if allowed and 1
 * if not, the limit, what remains, the seconds until a retry (−1 if allowed, and if no waiting
 * helps) and the seconds until the bucket is full.
 */
final class ThrottleCommand {
  private static final String POLICY = "cl-throttle";
  private static final long MOST = 1_000_000_000;
  private static final long LONGEST_PERIOD = Duration.ofDays(366).toSeconds();

  /** How many different limits are remembered; those of others are made anew each time. */
  private static final int MAX_REMEMBERED = 1_000;

  private final RateLimiter limiter;
  private final Map<Limit, RateLimiter> throttles = new ConcurrentHashMap<>();

  ThrottleCommand(Engine engine) {
    Limit unused = Limit.tokenBucket(1, Duration.ofSeconds(1)); // every request brings its own
    this.limiter = engine.limiter(Policy.internal(POLICY).withLimit(unused));
  }

  List<Command> commands() {
    return List.of(
        new Command(
            "cl.throttle",
            5,
            6,
            1,
            List.of("key", "max_burst", "count", "period", "[quantity]"),
            "Spends from a token bucket, as redis-cell does",
            this::run));
  }

  private Later<Decision> run(Request request, Conversation client, ReplyWriter reply) {
    String key = request.text(1, "key");
    long burst = number(request, 2, "max_burst", 0, MOST - 1);
    long count = number(request, 3, "count", 1, MOST);
    long period = number(request, 4, "period", 1, LONGEST_PERIOD);
    long quantity = request.size() > 5 ? number(request, 5, "quantity", 0, MOST) : 1;
    RateLimiter throttle =
        throttle(Limit.tokenBucket(count, Duration.ofSeconds(period)).withCapacity(burst + 1));
    return new Later<>(throttle.tryAcquireAsync(key, quantity), ThrottleCommand::write);
  }

  private static long number(Request request, int i, String name, long least, long most) {
    long number = request.number(i, name);
    if (number < least || number > most) {
      throw CommandException.of(
          name + " must be between " + least + " and " + most + ", was " + number);
    }
    return number;
  }

  private RateLimiter throttle(Limit limit) {
    RateLimiter known = throttles.get(limit);
    if (known != null) {
      return known;
    }
    RateLimiter throttle = limiter.withLimits(List.of(limit));
    if (throttles.size() < MAX_REMEMBERED) {
      throttles.put(limit, throttle);
    }
    return throttle;
  }

  private static void write(Decision decision, ReplyWriter reply) {
    boolean wait = !decision.allowed() && !decision.neverAllowed();
    reply.array(5);
    reply.integer(decision.allowed() ? 0 : 1);
    reply.integer(decision.limit());
    reply.integer(decision.remaining());
    reply.integer(wait ? seconds(decision.retryAfter()) : -1);
    reply.integer(seconds(decision.resetAfter()));
  }

  private static long seconds(Duration duration) {
    return duration.toSeconds() + (duration.toNanosPart() > 0 ? 1 : 0);
  }
}
