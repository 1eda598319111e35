package dev.sash.servlet;

import dev.sash.http.Verdict;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of a request across all its dispatches: it is decided once, and settled once, after the
 * last dispatch.
 *
 * <p>While a decision is pending, the request is asynchronous and occupies no thread. An admitted
 * request is then dispatched again. The response to a denied one is written on a thread of the
 * container without another dispatch, so that it does not depend on how the filter is mapped.
 */
final class RequestState implements AsyncListener {
  private static final Logger LOG = LoggerFactory.getLogger(RequestState.class);

  private enum Phase {
    /** There is no decision yet. */
    PENDING,
    /** The request is admitted and dispatched again. */
    READY,
    /** The request has reached the application, or is complete. */
    PASSED,
    /** The container has stopped waiting. */
    ABANDONED
  }

  private final HttpServletResponse response;
  private final Runnable beforeDenial;
  private final DispatcherType dispatcherType;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.PENDING);
  private volatile @Nullable Verdict verdict;

  /** The verdict for which a suspended request waits. */
  private volatile @Nullable CompletableFuture<Verdict> awaited;

  /**
   * @param dispatcherType the type of the request's first dispatch
   * @param beforeDenial run before the response to a denied request is written
   */
  RequestState(HttpServletResponse response, DispatcherType dispatcherType, Runnable beforeDenial) {
    this.response = response;
    this.beforeDenial = beforeDenial;
    this.dispatcherType = dispatcherType;
  }

  /**
   * Returns the type to show to the rest of the chain, also if the request was dispatched again.
   */
  DispatcherType dispatcherType() {
    return dispatcherType;
  }

  /** Waits for the verdict. */
  Verdict await(CompletableFuture<Verdict> pending) throws ServletException {
    try {
      return passed(pending.get());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      withdraw(pending);
      throw new ServletException("interrupted while waiting for a decision", e);
    } catch (ExecutionException e) {
      throw new ServletException("rate limit check failed", e.getCause());
    }
  }

  /** Nothing stays charged, whether the decision has been made or not. */
  private static void withdraw(CompletableFuture<Verdict> pending) {
    if (!pending.cancel(false)) {
      var unused = pending.thenAccept(Verdict::giveBack);
    }
  }

  private Verdict passed(Verdict decided) {
    verdict = decided;
    phase.set(Phase.PASSED);
    return decided;
  }

  /** Frees the thread until the verdict arrives. */
  void suspend(AsyncContext async, CompletableFuture<Verdict> pending) {
    awaited = pending;
    async.addListener(this);
    var unused =
        pending.whenComplete(
            (decided, failure) -> {
              if (pending.isCancelled()) {
                LOG.debug("Request ended before its rate limit decision arrived");
              } else if (failure != null) {
                LOG.error("Rate limit check failed; the response is 500", failure);
                finish(async, () -> response.sendError(500));
              } else if (decided.allowed()) {
                resume(async, decided);
              } else {
                finish(async, () -> write(decided));
              }
            });
  }

  private void resume(AsyncContext async, Verdict decided) {
    if (!phase.compareAndSet(Phase.PENDING, Phase.READY)) {
      decided.giveBack();
      return;
    }
    verdict = decided; // not earlier: onComplete of an abandoned request would settle it
    try {
      async.dispatch();
    } catch (IllegalStateException e) {
      LOG.debug("Request ended before its rate limit decision arrived", e);
      decided.giveBack();
    }
  }

  /** Writes the response. */
  private interface LastStep {
    void run() throws IOException;
  }

  /** Runs on a thread of the container: a slow client must not block the store's thread. */
  private void finish(AsyncContext async, LastStep step) {
    if (!phase.compareAndSet(Phase.PENDING, Phase.PASSED)) {
      return;
    }
    try {
      async.start(
          () -> {
            try {
              step.run();
            } catch (IOException e) {
              LOG.debug("Client disconnected before its response was written", e);
            } finally {
              async.complete();
            }
          });
    } catch (IllegalStateException e) {
      LOG.debug("Request ended before its rate limit decision arrived", e);
    }
  }

  /** Writes the response to a denied request. */
  void write(Verdict verdict) throws IOException {
    beforeDenial.run();
    byte[] body = verdict.body().getBytes(StandardCharsets.UTF_8);
    response.setStatus(verdict.status());
    verdict.headers().forEach(response::setHeader);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  /** Returns the verdict when an admitted request is dispatched again; null afterwards. */
  @Nullable Verdict takeReady() {
    return phase.compareAndSet(Phase.READY, Phase.PASSED) ? verdict : null;
  }

  /** Settles the charges after the last dispatch, or after the application has failed. */
  void settle(int status) {
    Verdict decided = verdict;
    if (decided != null) {
      decided.settle(status);
    }
  }

  /** Returns the status of the response after the application has failed. */
  int statusOfFailure() {
    return response.isCommitted() ? response.getStatus() : 500;
  }

  @Override
  public void onComplete(AsyncEvent event) {
    if (phase.get() == Phase.READY) {
      RateLimitFilter.warnOfMissingDispatch();
    }
    settle(response.getStatus());
  }

  @Override
  public void onTimeout(AsyncEvent event) throws IOException {
    if (phase.compareAndSet(Phase.PENDING, Phase.ABANDONED)) {
      LOG.error(
          "Rate limit decision did not arrive within {} ms; the response is 503",
          event.getAsyncContext().getTimeout());
      withdraw();
      response.sendError(503);
      event.getAsyncContext().complete();
    }
  }

  @Override
  public void onError(AsyncEvent event) {
    if (phase.compareAndSet(Phase.PENDING, Phase.ABANDONED)) {
      withdraw();
    }
  }

  private void withdraw() {
    CompletableFuture<Verdict> pending = awaited;
    if (pending != null) {
      withdraw(pending);
    }
  }

  /** Follows a request that the application makes asynchronous itself. */
  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().addListener(this);
  }
}
