package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.internal.Bounds;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A limiter whose state lives in Redis, shared by every process that asks for the same policy name
 * with the same prefix. Made by {@link RedisStore#limiter}. Thread-safe.
 *
 * <p>A decision is one round trip. It takes these steps, and ends at the first that answers:
 *
 * <ol>
 *   <li>a denial that Redis gave before and that still holds;
 *   <li>Redis, unless it has not been answering lately, within the policy's {@link
 *       Policy#deadline};
 *   <li>the policy's {@link Policy#failureRule}.
 * </ol>
 *
 * <p>{@link Decision#source} tells which it was. No step throws for a Redis that is away, and no
 * request is kept for later: one that was not answered in time may have been charged, never twice.
 *
 * <p>Futures complete on an I/O thread: what depends on them must not block there, nor call the
 * blocking forms of a limiter; use the {@code Async} forms of {@link CompletionStage} for that.
 */
public final class RedisLimiter implements RateLimiter {
  private final Link link;
  private final KeyNames names;
  private final DenyCache denials;
  private final FailureDecisions failures;
  private final MicroClock clock;
  private final InForce inForce;

  /** The limits of a view, for every key; null if the policy has them. */
  private final @Nullable List<Limit> given;

  RedisLimiter(
      Link link, KeyNames names, DenyCache denials, MicroClock clock, Policy policy, int nodes) {
    this.link = link;
    this.names = names;
    this.denials = denials;
    this.clock = clock;
    this.failures = new FailureDecisions(policy, nodes);
    this.inForce = new InForce(new Terms(policy));
    this.given = null;
  }

  private RedisLimiter(RedisLimiter whole, List<Limit> given) {
    this.link = whole.link;
    this.names = whole.names;
    this.denials = whole.denials;
    this.clock = whole.clock;
    this.failures = whole.failures;
    this.inForce = whole.inForce;
    this.given = given;
  }

  @Override
  public Decision tryAcquire(String key, long permits) {
    Decision remembered = remembered(key, permits);
    return remembered == null ? question(false, key, permits).await() : remembered;
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    Decision remembered = remembered(key, permits);
    return remembered == null
        ? question(false, key, permits).answer()
        : CompletableFuture.completedStage(remembered);
  }

  /**
   * {@inheritDoc}
   *
   * <p>If Redis does not answer, what was spent there is not given back: the refund applies to what
   * {@link dev.sash.FailureRule#LOCAL} has charged.
   */
  @Override
  public Decision refund(String key, long permits) {
    return question(true, key, permits).await();
  }

  @Override
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    return question(true, key, permits).answer();
  }

  /**
   * {@inheritDoc}
   *
   * @throws RedisStoreException if Redis does not answer: the key may not have been forgotten
   */
  @Override
  public void reset(String key) {
    RedisStore.await(resetAsync(key));
  }

  /**
   * {@inheritDoc}
   *
   * @return completes with a {@link RedisStoreException} if Redis does not answer: the key may not
   *     have been forgotten
   */
  @Override
  public CompletionStage<Void> resetAsync(String key) {
    Bounds.checkKey(key);
    Terms terms = inForce.terms;
    String[] redisKeys = redisKeys(terms, scriptFor(terms, key), key);
    failures.reset(key);
    denials.forget(key);
    return link.ask("reset a key", commands -> commands.unlink(redisKeys))
        .<Void>thenApply(count -> null)
        .whenComplete((done, failure) -> denials.forget(key));
  }

  @Override
  public Policy policy() {
    Policy policy = inForce.terms.policy();
    return given == null ? policy : policy.limitsForEveryKey(given);
  }

  @Override
  public void changePolicy(Policy policy) {
    failures.changePolicy(policy); // refuses what must not be
    inForce.terms = new Terms(policy);
  }

  @Override
  public RedisLimiter under(List<Limit> limits) {
    return new RedisLimiter(this, policy().limitsForEveryKey(limits).limits());
  }

  /** The clock of this process, for waiting; decisions are dated by Redis. */
  @Override
  public MicroClock clock() {
    return clock;
  }

  /**
   * How many answers the failure rule had to give.
   *
   * @return since the limiter was made
   */
  public long fallbacks() {
    return failures.count();
  }

  /**
   * What is kept for a key, for people who want to know: without spending.
   *
   * @param key who
   * @return one for each limit; empty where nothing is kept
   * @throws RedisStoreException if Redis does not answer
   */
  public List<KeyState> inspect(String key) {
    return RedisStore.await(inspectAsync(key));
  }

  /**
   * {@link #inspect} that does not block the caller.
   *
   * @param key who
   * @return completes with one for each limit, or with a {@link RedisStoreException}
   */
  public CompletionStage<List<KeyState>> inspectAsync(String key) {
    Bounds.checkKey(key);
    Terms terms = inForce.terms;
    LimitScript script = scriptFor(terms, key);
    return link.ask(
            "inspect a key",
            commands -> link.run(script.script(), redisKeys(terms, script, key), script.inspect()))
        .thenApply(script::states);
  }

  private LimitScript scriptFor(Terms terms, String key) {
    return given == null ? terms.scriptFor(key) : terms.scriptOf(given);
  }

  private String[] redisKeys(Terms terms, LimitScript script, String key) {
    return names.of(terms.policy().name(), key, script.limits());
  }

  private @Nullable Decision remembered(String key, long permits) {
    Bounds.checkKey(key);
    Bounds.checkPermits(permits);
    return denials.find(key, scriptFor(inForce.terms, key).limits(), permits);
  }

  private Question question(boolean refund, String key, long permits) {
    Bounds.checkKey(key);
    Bounds.checkPermits(permits);
    return new Question(inForce.terms, refund, key, permits);
  }

  /** What a limiter and its views have in common. */
  private static final class InForce {
    volatile Terms terms;

    InForce(Terms terms) {
      this.terms = terms;
    }
  }

  /** One request on its way through the steps. */
  private final class Question {
    private final Policy policy;
    private final LimitScript script;
    private final boolean refund;
    private final String key;
    private final long permits;
    private final String[] redisKeys;
    private final Breaker breaker;
    private long sentMicros;
    private int version;

    Question(Terms terms, boolean refund, String key, long permits) {
      this.policy = terms.policy();
      this.script = scriptFor(terms, key);
      this.refund = refund;
      this.key = key;
      this.permits = permits;
      this.redisKeys = redisKeys(terms, script, key);
      this.breaker = link.breakerFor(redisKeys[0]);
    }

    /** Asks and waits, at most until the deadline. */
    Decision await() {
      CompletableFuture<byte[]> reply = send();
      if (reply == null) {
        return byRule();
      }
      boolean interrupted = false;
      long end = System.nanoTime() + policy.deadline().toNanos();
      try {
        while (true) {
          try {
            return decision(reply.get(end - System.nanoTime(), TimeUnit.NANOSECONDS));
          } catch (InterruptedException e) {
            interrupted = true; // told afterwards: a decision does not take long
          } catch (ExecutionException | TimeoutException e) {
            return afterFailure(e);
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    /** Asks; the answer comes by the deadline. */
    CompletableFuture<Decision> answer() {
      CompletableFuture<byte[]> reply = send();
      return reply == null
          ? CompletableFuture.completedFuture(byRule())
          : reply
              .orTimeout(policy.deadline().toNanos(), TimeUnit.NANOSECONDS)
              .handle(
                  (answer, failure) -> answer == null ? afterFailure(failure) : decision(answer));
    }

    /** Sends the question, or does not because nobody answers these days. */
    private @Nullable CompletableFuture<byte[]> send() {
      if (refund) {
        denials.forget(key);
      }
      if (breaker.isOpen()) {
        breaker.onRefused();
        return null;
      }
      version = denials.version(key);
      sentMicros = clock.micros();
      byte[][] arguments = refund ? script.refund(permits) : script.acquire(permits);
      return link.run(script.script(), redisKeys, arguments);
    }

    private Decision decision(byte[] answer) {
      breaker.onSuccess();
      Decision decision = script.decision(refund ? 0 : permits, answer);
      if (refund) {
        denials.forget(key);
      } else if (!decision.allowed()) {
        denials.remember(key, script.limits(), permits, decision, sentMicros, version);
      }
      return decision;
    }

    private Decision afterFailure(@Nullable Throwable thrown) {
      Throwable failure = Failures.unwrapped(Objects.requireNonNull(thrown));
      if (Failures.isOfOneKey(failure)) {
        breaker.onSuccess();
        link.warnOfForeignState();
      } else {
        breaker.onFailure(failure);
      }
      return byRule();
    }

    private Decision byRule() {
      return refund
          ? failures.refund(key, script.limits(), permits)
          : failures.tryAcquire(key, script.limits(), permits);
    }
  }
}
