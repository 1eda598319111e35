package dev.sash.server.resp.command;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.server.engine.Engine;
import dev.sash.server.resp.codec.CommandException;
import dev.sash.server.resp.codec.ReplyWriter;
import dev.sash.server.resp.codec.Request;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@code CL.THROTTLE key max_burst count period [quantity]}, as in the module redis-cell: a token
 * bucket whose limit comes with the request, if the configuration permits that. The reply is five
 * integers: 0 if allowed and 1 if not, the limit, what remains, the seconds until a retry (−1 if
 * allowed, and if no waiting helps) and the seconds until the bucket is full.
 */
final class ThrottleCommand {
  private static final String POLICY = "cl-throttle";
  private static final long MOST = Request.MAX_PERMITS;
  private static final long LONGEST_PERIOD = Duration.ofDays(366).toSeconds();

  /** The most limits whose limiters are kept; those of others are created for each request. */
  private static final int MAX_REMEMBERED = 1_000;

  private final Engine engine;
  private final RateLimiter limiter;
  private final Map<Limit, RateLimiter> throttles = new ConcurrentHashMap<>();

  ThrottleCommand(Engine engine) {
    this.engine = engine;
    Limit unused = Limit.tokenBucket(1, Duration.ofSeconds(1)); // every request brings its own
    this.limiter = engine.limiter(Policy.internal(POLICY).withLimit(unused));
  }

  List<Command> commands() {
    return List.of(
        Command.ofKey(
                "cl.throttle",
                List.of("key", "max_burst", "count", "period", "[quantity]"),
                "Spends from a token bucket, as redis-cell does",
                ThrottleCommand::checkSyntax,
                this::run)
            .onlyIf((request, client) -> checkPermitted()));
  }

  private void checkPermitted() {
    if (!engine.configuration().adHocLimits()) {
      throw new CommandException(
          "NOPERM",
          "CL.THROTTLE brings its own limit: set ad-hoc-limits: true in the configuration");
    }
  }

  private static void checkSyntax(Request request, Conversation client) {
    request.checkKey(1);
    limit(request);
    quantity(request);
  }

  private PendingReply<Decision> run(Request request, Conversation client, ReplyWriter reply) {
    String key = request.text(1, "key");
    RateLimiter throttle = throttle(limit(request));
    return new PendingReply<>(
        throttle.tryAcquireAsync(key, quantity(request)), ThrottleCommand::write);
  }

  private static Limit limit(Request request) {
    long burst = request.number(2, "max_burst", 0, MOST - 1);
    long count = request.number(3, "count", 1, MOST);
    long period = request.number(4, "period", 1, LONGEST_PERIOD);
    return Limit.tokenBucket(count, Duration.ofSeconds(period)).withCapacity(burst + 1);
  }

  private static long quantity(Request request) {
    return request.size() > 5 ? request.number(5, "quantity", 0, MOST) : 1;
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
