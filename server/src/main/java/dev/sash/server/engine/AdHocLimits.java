package dev.sash.server.engine;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Decides by limits that come with the request, where the configuration permits them. Requests with
 * the same key and the same windows and algorithms share their counts. Thread-safe.
 */
public final class AdHocLimits {
  /** The policy's name in answers. */
  public static final String POLICY = "ad-hoc";

  /** Rule and deadline are the defaults; the limit never decides. */
  private static final Policy TERMS =
      Policy.internal(POLICY).withLimit(Limit.slidingLog(1, Duration.ofMinutes(1)));

  private final Engine engine;
  private final RateLimiter limiter;

  /**
   * Ad-hoc limits of an engine.
   *
   * @param engine has the configuration and the store
   */
  public AdHocLimits(Engine engine) {
    this.engine = engine;
    this.limiter = engine.limiter(TERMS);
  }

  /**
   * Spends permits, if they fit.
   *
   * @param key who spends
   * @param permits how many; 0 only looks
   * @param limits by which limits
   * @return completes with the answer
   * @throws NotPermittedException if the configuration does not permit ad-hoc limits
   * @throws IllegalArgumentException if the question cannot be answered; it says why
   */
  public CompletionStage<Answer> check(String key, long permits, List<Limit> limits) {
    return on(
        limits,
        own ->
            own.tryAcquireAsync(key, permits)
                .thenApply(decision -> Answer.byLimits(POLICY, limits, key, permits, decision)));
  }

  /**
   * Gives back permits.
   *
   * @param key who spent them
   * @param permits how many
   * @param limits by which limits
   * @return completes with the key's state afterwards
   * @throws NotPermittedException if the configuration does not permit ad-hoc limits
   * @throws IllegalArgumentException if the question cannot be answered; it says why
   */
  public CompletionStage<Answer> refund(String key, long permits, List<Limit> limits) {
    return on(
        limits,
        own ->
            own.refundAsync(key, permits)
                .thenApply(decision -> Answer.byLimits(POLICY, limits, key, permits, decision)));
  }

  /**
   * Forgets a key.
   *
   * @param key who
   * @param limits by which limits
   * @return completes when it is forgotten, or exceptionally if the store does not answer
   * @throws NotPermittedException if the configuration does not permit ad-hoc limits
   */
  public CompletionStage<Void> reset(String key, List<Limit> limits) {
    return on(limits, own -> own.resetAsync(key));
  }

  private <T> T on(List<Limit> limits, Function<RateLimiter, T> call) {
    if (!engine.configuration().adHocLimits()) {
      throw new NotPermittedException(
          "limits must not be given: the configuration does not permit ad-hoc limits");
    }
    return call.apply(limiter.withLimits(limits));
  }
}
