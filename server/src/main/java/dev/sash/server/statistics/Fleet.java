package dev.sash.server.statistics;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The counts of all servers that share a Redis. Each publishes its own every second, in one of
 * {@link #PLACES} places, where they disappear a few seconds after the server does. A server that
 * finds another one's counts in its place moves to a free one. While Redis is away, each knows its
 * own counts alone. Thread-safe; nothing blocks.
 */
public final class Fleet {
  /** The most servers that are counted. */
  public static final int PLACES = 64;

  private static final long FRESH_NANOS = 1_000_000_000;

  /** Where counts are published. */
  public interface Board {
    /**
     * Replaces what stands in a place, for a few seconds.
     *
     * @return completes with what stood there
     */
    CompletionStage<Optional<byte[]>> replace(int place, byte[] summary);

    /**
     * Reads what stands in a place.
     *
     * @return completes with it
     */
    CompletionStage<Optional<byte[]>> read(int place);
  }

  /**
   * The counts of several servers.
   *
   * @param servers how many there are
   * @param total all policies together
   * @param policies by policy, in the order of {@link Statistics#policies}
   */
  public record FleetCounts(int servers, PolicyCounts total, List<PolicyCounts> policies) {}

  private record Others(long nanos, CompletableFuture<List<Summary>> summaries) {}

  private final Statistics statistics;
  private final Board board;
  private final LongSupplier nanoTime;
  private final long server;
  private final SplittableRandom random;
  private final AtomicBoolean publishing = new AtomicBoolean();
  private volatile int place = -1;
  private volatile @Nullable Others others;

  /**
   * Creates a member of a fleet.
   *
   * @param statistics the counts of this server
   * @param board where all of them publish theirs
   */
  public Fleet(Statistics statistics, Board board) {
    this(statistics, board, new SecureRandom().nextLong(), System::nanoTime);
  }

  Fleet(Statistics statistics, Board board, long server, LongSupplier nanoTime) {
    this.statistics = statistics;
    this.board = board;
    this.server = server;
    this.nanoTime = nanoTime;
    this.random = new SplittableRandom(server);
  }

  /**
   * Publishes the counts of this server; to be called every second. Does nothing while an earlier
   * call is under way. May take some milliseconds.
   *
   * @return completes when it is done, or has failed
   */
  public CompletionStage<Void> publish() {
    if (!publishing.compareAndSet(false, true)) {
      return CompletableFuture.completedStage(null);
    }
    return attempt()
        .handle(
            (done, failure) -> {
              publishing.set(false);
              return null;
            });
  }

  private CompletableFuture<Void> attempt() {
    try {
      byte[] own = own().toBytes();
      return place >= 0
          ? publishIn(place, own)
          : freePlace().thenCompose(free -> free < 0 ? done() : publishIn(free, own));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Void> publishIn(int chosen, byte[] own) {
    return board
        .replace(chosen, own)
        .thenAccept(
            former -> {
              Long owner = former.map(Summary::serverOf).orElse(null);
              // The other one finds this server's counts, and moves too, to another place.
              place = owner == null || owner == server ? chosen : -1;
            })
        .toCompletableFuture();
  }

  private CompletableFuture<Integer> freePlace() {
    return readAll()
        .thenApply(
            places -> {
              List<Integer> free = new ArrayList<>();
              for (int i = 0; i < PLACES; i++) {
                if (places.get(i).isEmpty()) {
                  free.add(i);
                }
              }
              return free.isEmpty() ? -1 : free.get(random.nextInt(free.size()));
            });
  }

  private CompletableFuture<List<Optional<byte[]>>> readAll() {
    List<CompletableFuture<Optional<byte[]>>> places = new ArrayList<>(PLACES);
    for (int i = 0; i < PLACES; i++) {
      places.add(board.read(i).toCompletableFuture());
    }
    return CompletableFuture.allOf(places.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> places.stream().map(CompletableFuture::join).toList());
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }

  private Summary own() {
    return new Summary(server, statistics.total(), statistics.policies());
  }

  /**
   * Returns the counts of all servers: of this one as of now, of others as they published them a
   * second or two ago.
   *
   * @param worker adds them up, which may take some milliseconds: never the thread on which the
   *     others' counts arrive
   * @return completes with those of this server alone if Redis is away
   */
  public CompletionStage<FleetCounts> counts(Executor worker) {
    return others().exceptionally(failure -> List.of()).thenApplyAsync(this::merged, worker);
  }

  /** Reads at most once a second, however often it is called. */
  private synchronized CompletableFuture<List<Summary>> others() {
    Others known = others;
    if (known != null && nanoTime.getAsLong() - known.nanos < FRESH_NANOS) {
      return known.summaries;
    }
    CompletableFuture<List<Summary>> read;
    try {
      read = readAll().thenApply(this::parsed);
    } catch (RuntimeException e) {
      read = CompletableFuture.failedFuture(e);
    }
    others = new Others(nanoTime.getAsLong(), read);
    return read;
  }

  /** Of a server that has just moved only one; not this one. */
  private List<Summary> parsed(List<Optional<byte[]>> places) {
    Map<Long, Summary> found = new LinkedHashMap<>();
    for (Optional<byte[]> bytes : places) {
      Summary summary = bytes.map(Summary::of).orElse(null);
      if (summary != null && summary.server() != server) {
        found.put(summary.server(), summary);
      }
    }
    return List.copyOf(found.values());
  }

  private FleetCounts merged(List<Summary> summaries) {
    Summary own = own();
    PolicyCounts total = own.total();
    Map<String, PolicyCounts> policies = new LinkedHashMap<>();
    own.policies().forEach(policy -> policies.put(policy.policy(), policy));
    for (Summary summary : summaries) {
      total = total.plus(summary.total());
      for (PolicyCounts policy : summary.policies()) {
        policies.merge(policy.policy(), policy, PolicyCounts::plus);
      }
    }
    List<PolicyCounts> sorted = policies.values().stream().sorted(PolicyCounts.ORDER).toList();
    return new FleetCounts(1 + summaries.size(), total, sorted);
  }
}
