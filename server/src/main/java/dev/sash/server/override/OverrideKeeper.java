package dev.sash.server.override;

import static dev.sash.server.override.OverrideStorage.NO_VERSION;

import dev.sash.server.override.AuditEntry.Action;
import dev.sash.server.override.OverrideStorage.Stored;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the overrides in force, and follows those that other servers store. Thread-safe.
 *
 * <p>A change replaces the whole document, and only if it still has the version that the change was
 * made from; otherwise the change is made again, from what is there now. So of two changes at the
 * same time, on the same or on two servers, none is lost. While the storage is unavailable, the
 * last known overrides stay in force, and none can be changed.
 */
public final class OverrideKeeper implements OverrideLookup, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OverrideKeeper.class);
  private static final int MOST_ATTEMPTS = 100;
  private static final int START_SECONDS = 6;

  /** What is in force. */
  private record InForce(OverrideState state, Overrides index) {}

  /** A change, and the action that it is. */
  private record Change(OverrideState state, AuditEntry action) {}

  private final OverrideStorage storage;
  private final InstantSource clock;
  private final Map<Action, Counter> actions = new EnumMap<>(Action.class);
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1,
          task -> {
            Thread created = new Thread(task, "sash-overrides");
            created.setDaemon(true);
            return created;
          });
  private volatile InForce inForce = new InForce(OverrideState.EMPTY, Overrides.NONE);

  /** The last step: each begins when the one before has ended. Guarded by this. */
  private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

  // Of the step that runs:
  private String version = NO_VERSION;
  private @Nullable String unreadable;
  private boolean isRead;
  private boolean isUsed;
  private boolean failing;

  /**
   * Creates a keeper without overrides.
   *
   * @param storage keeps them
   * @param clock the time by which they expire
   * @param registry gets meters
   */
  public OverrideKeeper(OverrideStorage storage, InstantSource clock, MeterRegistry registry) {
    this.storage = Objects.requireNonNull(storage, "storage must not be null");
    this.clock = Objects.requireNonNull(clock, "clock must not be null");
    for (Effect effect : Effect.values()) {
      Gauge.builder("sash.server.overrides", this, keeper -> keeper.count(effect))
          .description("Overrides in force")
          .tag("effect", effect.id())
          .register(registry);
    }
    for (Action action : Action.values()) {
      actions.put(
          action,
          Counter.builder("sash.server.override.actions")
              .description("Overrides that operators set and removed on this server")
              .tag("action", action.id())
              .register(registry));
    }
  }

  /**
   * Reads what is stored, and begins to follow it. Waits for a storage that does not answer a few
   * seconds at most.
   *
   * @param interval the time between two looks, if others may change what is stored
   */
  public void start(Duration interval) {
    CompletableFuture<Void> first = next(this::follow);
    try {
      first.get(START_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("Overrides were not read at start", e); // the step itself has reported it
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (storage.isShared()) {
      var unused =
          thread.scheduleWithFixedDelay(
              this::look, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** Whatever step is under way sees what is stored, too. */
  private synchronized void look() {
    if (last.isDone()) {
      var unused = next(this::follow);
    }
  }

  @Override
  public @Nullable KeyOverride find(String policy, String key) {
    return inForce.index.find(policy, key, clock);
  }

  /**
   * Returns the overrides in force.
   *
   * @param policy the policy's name; null for all
   * @return by policy and key
   */
  public List<KeyOverride> overrides(@Nullable String policy) {
    long now = clock.millis();
    return inForce.state.overrides().stream()
        .filter(override -> policy == null || override.target().policy().equals(policy))
        .filter(override -> override.isInForce(now))
        .toList();
  }

  /**
   * Returns the latest actions of operators, on all servers that share the storage.
   *
   * @return up to 1,000, the oldest first
   */
  public List<AuditEntry> audit() {
    return inForce.state.audit();
  }

  /**
   * Returns where overrides are kept.
   *
   * @return {@code memory}, {@code file} or {@code redis}
   */
  public String kept() {
    return storage.kind();
  }

  private long count(Effect effect) {
    return overrides(null).stream().filter(override -> override.effect() == effect).count();
  }

  /**
   * Sets an override, in place of that of the same keys.
   *
   * @param override the override
   * @return completes when it is stored and in force; exceptionally with an {@link
   *     IllegalArgumentException} if there are too many, or with the failure of the storage
   */
  public CompletionStage<KeyOverride> set(KeyOverride override) {
    return change(
        state -> {
          AuditEntry action =
              new AuditEntry(
                  clock.instant(), Action.SET, override.author(), override.reason(), override);
          return new Change(state.with(override, action), action);
        });
  }

  /**
   * Removes an override.
   *
   * @param target exactly its keys
   * @param author who removes it
   * @param reason why
   * @return completes with what was removed; exceptionally with a {@link NoOverrideException} if
   *     there is none, or with the failure of the storage
   */
  public CompletionStage<KeyOverride> remove(Target target, String author, String reason) {
    return change(
        state -> {
          Instant now = clock.instant();
          KeyOverride found = state.get(target);
          if (found == null || !found.isInForce(now.toEpochMilli())) {
            throw new NoOverrideException(target);
          }
          AuditEntry action = new AuditEntry(now, Action.REMOVE, author, reason, found);
          return new Change(state.without(target, action), action);
        });
  }

  private CompletionStage<KeyOverride> change(Function<OverrideState, Change> change) {
    return next(() -> attempt(change, MOST_ATTEMPTS)).thenApply(this::report);
  }

  private KeyOverride report(AuditEntry action) {
    Objects.requireNonNull(actions.get(action.action())).increment();
    KeyOverride override = action.override();
    LOG.info(
        "Override {}: policy {}, {} {}, effect {}{}, expires {}, author '{}', reason '{}'",
        action.action().id(),
        override.target().policy(),
        override.target().isPrefix() ? "prefix" : "key",
        override.target().hashed(),
        override.effect().id(),
        override.limits().isEmpty() ? "" : " " + override.limits(),
        override.expires() == null ? "never" : override.expires(),
        action.author(),
        action.reason());
    return override;
  }

  private <T> CompletableFuture<T> next(Supplier<CompletionStage<T>> step) {
    synchronized (this) {
      CompletableFuture<T> result =
          last.handle((done, failure) -> null).thenComposeAsync(nothing -> step.get(), thread);
      last = result;
      return result;
    }
  }

  private CompletionStage<AuditEntry> attempt(
      Function<OverrideState, Change> change, int attemptsLeft) {
    if (attemptsLeft == 0) {
      throw new OverrideStorageException(
          "overrides are being changed by too many at once, and are as before: try again", null);
    }
    if (!isRead) { // what is there must not be replaced unseen
      return refresh().thenComposeAsync(nothing -> attempt(change, attemptsLeft - 1), thread);
    }
    if (unreadable != null) {
      throw new OverrideStorageException(
          "the stored overrides cannot be used, and are not replaced: " + unreadable, null);
    }
    Change changed = change.apply(inForce.state);
    Stored next = new Stored(newVersion(), StoredForm.write(changed.state));
    return storage
        .replace(version, next)
        .thenComposeAsync(
            replaced -> {
              if (replaced) {
                use(changed.state, next.version());
                return CompletableFuture.completedFuture(changed.action);
              }
              return refresh()
                  .thenComposeAsync(nothing -> attempt(change, attemptsLeft - 1), thread);
            },
            thread);
  }

  private static String newVersion() {
    return UUID.randomUUID().toString();
  }

  private void use(OverrideState state, String itsVersion) {
    inForce = new InForce(state, Overrides.of(state.overrides()));
    version = itsVersion;
    unreadable = null;
    isUsed = true;
  }

  /** Reads what is stored, and says once that it fails, and once that it does not any more. */
  private CompletionStage<Void> follow() {
    return refresh()
        .whenComplete(
            (nothing, failure) -> {
              String problem = failure == null ? unreadable : messageOf(failure);
              if (problem != null && !failing) {
                LOG.warn(
                    "Overrides cannot be read, the last known ones stay in force: {}", problem);
              } else if (problem == null && failing) {
                LOG.info("Overrides are read again");
              }
              failing = problem != null;
            });
  }

  private static String messageOf(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return String.valueOf(cause.getMessage());
  }

  private CompletionStage<Void> refresh() {
    return storage.read(version).thenComposeAsync(this::adopt, thread);
  }

  private CompletionStage<Void> adopt(@Nullable Stored found) {
    isRead = true;
    if (found == null) {
      return CompletableFuture.completedFuture(null);
    }
    if (found.version().equals(NO_VERSION)) {
      if (isUsed) {
        return restore();
      }
      version = NO_VERSION;
      unreadable = null;
      return CompletableFuture.completedFuture(null);
    }
    try {
      use(StoredForm.read(found.content()), found.version());
    } catch (IllegalArgumentException e) {
      unreadable = String.valueOf(e.getMessage());
      version = found.version();
    }
    return CompletableFuture.completedFuture(null);
  }

  /**
   * A storage that has lost its data gets the last known overrides back, from one of the servers;
   * under another version, so that all others read them, whatever they have seen before.
   */
  private CompletionStage<Void> restore() {
    OverrideState state = inForce.state;
    Stored next = new Stored(newVersion(), StoredForm.write(state));
    return storage
        .replace(NO_VERSION, next)
        .thenAcceptAsync(
            replaced -> {
              if (replaced) {
                use(state, next.version());
                LOG.warn("Overrides were missing where they are stored, and have been restored");
              }
            },
            thread);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
