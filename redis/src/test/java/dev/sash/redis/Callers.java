package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;

/** Threads that ask a limiter all the time, half of them asynchronously, and note every answer. */
final class Callers implements AutoCloseable {
  /** Beyond its deadline a caller may wait for the scheduler, on a machine that is busy. */
  private static final Duration NOISE = Duration.ofMillis(700);

  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final int THREADS = 6;

  private record Answer(
      String key, int permits, Decision decision, long askedNanos, long waitedNanos) {
    boolean isFrom(Source source) {
      return decision.source() == source;
    }
  }

  private final RateLimiter limiter;
  private final List<String> keys;
  private final List<Thread> threads = new ArrayList<>();
  private final List<Answer> answers = Collections.synchronizedList(new ArrayList<>());
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final long seed = Long.getLong("sash.seed", ThreadLocalRandom.current().nextLong());
  private volatile boolean stopped;

  Callers(RateLimiter limiter, List<String> keys) {
    this.limiter = limiter;
    this.keys = keys;
    for (int i = 0; i < THREADS; i++) {
      Random random = new Random(seed + i);
      boolean async = i % 2 == 0;
      Thread thread = new Thread(() -> askAndAsk(random, async), "caller-" + i);
      threads.add(thread);
      thread.start();
    }
  }

  private void askAndAsk(Random random, boolean async) {
    try {
      while (!stopped) {
        String key = keys.get(random.nextInt(keys.size()));
        int permits = random.nextInt(4) == 0 ? 2 : 1;
        long asked = System.nanoTime();
        Decision decision =
            async
                ? limiter.tryAcquireAsync(key, permits).toCompletableFuture().get()
                : limiter.tryAcquire(key, permits);
        answers.add(new Answer(key, permits, decision, asked, System.nanoTime() - asked));
        Thread.sleep(1);
      }
    } catch (Exception | AssertionError e) {
      failures.add(e);
    }
  }

  /**
   * Waits until somebody who asks from now on is answered from there, and tells how long it took.
   */
  Duration awaitAnswerFrom(Source source) {
    return await("an answer from " + source, answer -> answer.isFrom(source));
  }

  /** The same, for every key. */
  Duration awaitAnswersForAllKeysFrom(Source source) {
    long begin = System.nanoTime();
    keys.forEach(key -> awaitAnswerAbout(key, source));
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  /** Waits until somebody who asks for the key from now on is answered from there. */
  void awaitAnswerAbout(String key, Source source) {
    await(
        "an answer about '" + key + "' from " + source,
        answer -> answer.isFrom(source) && answer.key.equals(key));
  }

  private Duration await(String what, Predicate<Answer> wanted) {
    long begin = System.nanoTime();
    for (int i = answers.size(); System.nanoTime() - begin < PATIENCE.toNanos(); ) {
      if (i == answers.size()) {
        pause(Duration.ofMillis(1));
        continue;
      }
      Answer answer = answers.get(i++);
      if (answer.askedNanos >= begin && wanted.test(answer)) {
        return Duration.ofNanos(answer.askedNanos + answer.waitedNanos - begin);
      }
    }
    return fail(
        "not %s within %s; seed %d; failures %s; %s", what, PATIENCE, seed, failures, counts());
  }

  /** Lets the callers go on for a while. */
  static void pause(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted in a test", e);
    }
  }

  /** What may be asked when all have stopped. */
  Report stop() {
    close();
    assertThat(failures).as("exceptions that escaped, seed %d", seed).isEmpty();
    return new Report();
  }

  private Map<Source, Integer> counts() {
    Map<Source, Integer> counts = new TreeMap<>();
    List.copyOf(answers).forEach(answer -> counts.merge(answer.decision.source(), 1, Integer::sum));
    return counts;
  }

  @Override
  public void close() {
    stopped = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted in a test", e);
      }
    }
  }

  /** What was answered. */
  final class Report {
    /** The permits that a key was admitted from there, of the key with the most. */
    long mostAdmitted(Source source) {
      return keys.stream().mapToLong(key -> admitted(key, source)).max().orElse(0);
    }

    /** How many answers about a key came from there. */
    long answers(String key, Source source) {
      return answers.stream()
          .filter(answer -> answer.isFrom(source) && answer.key.equals(key))
          .count();
    }

    /** The permits that a key was admitted from there. */
    long admitted(String key, Source source) {
      return answers.stream()
          .filter(answer -> answer.isFrom(source) && answer.key.equals(key))
          .filter(answer -> answer.decision.allowed())
          .mapToLong(Answer::permits)
          .sum();
    }

    /** The longest that somebody waited. */
    Duration longestWait() {
      return Duration.ofNanos(answers.stream().mapToLong(Answer::waitedNanos).max().orElse(0));
    }

    void assertNobodyWaitedBeyond(Duration deadline) {
      assertThat(longestWait())
          .as("longest wait, seed %d, %s", seed, counts())
          .isLessThan(deadline.plus(NOISE));
    }

    @Override
    public String toString() {
      return counts() + ", longest wait " + longestWait().toMillis() + " ms, seed " + seed;
    }
  }
}
