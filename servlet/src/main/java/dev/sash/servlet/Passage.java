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
 * One request on its way through the filter, in however many dispatches: it is decided once, and
 * settled once, when the last of them is done.
 *
 * <p>While a decision is pending the request is asynchronous and no thread is kept. An admitted
 * request is then dispatched again, and finds its passage ready. A denied one is answered on a
 * thread of the container and never dispatched: it does not depend on the filter being in the way a
 * second time.
 */
final class Passage implements AsyncListener {
  private static final Logger LOG = LoggerFactory.getLogger(Passage.class);

  private enum State {
    /** Nobody has answered yet. */
    PENDING,
    /** Admitted, and dispatched again. */
    READY,
    /** In the application, or done. */
    PASSED,
    /** The container has given up waiting. */
    ABANDONED
  }

  private final HttpServletResponse response;
  private final DispatcherType dispatcherType;
  private final AtomicReference<State> state = new AtomicReference<>(State.PENDING);
  private volatile @Nullable Verdict verdict;

  /**
   * @param dispatcherType of the request's first dispatch
   */
  Passage(HttpServletResponse response, DispatcherType dispatcherType) {
    this.response = response;
    this.dispatcherType = dispatcherType;
  }

  /**
   * As the rest of the chain is to see it, whether the filter had to be dispatched again or not.
   */
  DispatcherType dispatcherType() {
    return dispatcherType;
  }

  /** Waits for the answer. */
  Verdict await(CompletableFuture<Verdict> answer) throws ServletException {
    try {
      return passed(answer.get());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      var unused = answer.thenAccept(Verdict::giveBack);
      throw new ServletException("interrupted while waiting for a decision", e);
    } catch (ExecutionException e) {
      throw new ServletException("the request could not be decided", e.getCause());
    }
  }

  private Verdict passed(Verdict decided) {
    verdict = decided;
    state.set(State.PASSED);
    return decided;
  }

  /** Lets the container go on without the request until there is an answer. */
  void suspend(AsyncContext async, CompletableFuture<Verdict> answer) {
    async.addListener(this);
    var unused =
        answer.whenComplete(
            (decided, failure) -> {
              if (failure != null) {
                LOG.error("a request could not be decided", failure);
                finish(async, () -> response.sendError(500));
              } else if (decided.allowed()) {
                resume(async, decided);
              } else {
                finish(async, () -> write(decided, response));
              }
            });
  }

  private void resume(AsyncContext async, Verdict decided) {
    if (!state.compareAndSet(State.PENDING, State.READY)) {
      decided.giveBack();
      return;
    }
    verdict = decided; // not before: the end of an abandoned request would settle it
    try {
      async.dispatch();
    } catch (IllegalStateException e) {
      LOG.debug("the container gave up before the request was decided", e);
      decided.giveBack();
    }
  }

  /** What is to be done to end the request. */
  private interface LastStep {
    void run() throws IOException;
  }

  /** On a thread of the container: whoever answered must not wait for a slow client. */
  private void finish(AsyncContext async, LastStep step) {
    if (!state.compareAndSet(State.PENDING, State.PASSED)) {
      return;
    }
    try {
      async.start(
          () -> {
            try {
              step.run();
            } catch (IOException e) {
              LOG.debug("the client did not wait for its answer", e);
            } finally {
              async.complete();
            }
          });
    } catch (IllegalStateException e) {
      LOG.debug("the container gave up before the request was decided", e);
    }
  }

  /** Writes the response to a request that may not go on. */
  static void write(Verdict verdict, HttpServletResponse response) throws IOException {
    byte[] body = verdict.body().getBytes(StandardCharsets.UTF_8);
    response.setStatus(verdict.status());
    verdict.headers().forEach(response::setHeader);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  /** The verdict, the first time that the request comes back admitted; null ever after. */
  @Nullable Verdict takeReady() {
    return state.compareAndSet(State.READY, State.PASSED) ? verdict : null;
  }

  /** The last dispatch is done, or the application failed. */
  void settle(int status) {
    Verdict decided = verdict;
    if (decided != null) {
      decided.settle(status);
    }
  }

  /** The status after the application has failed: the container's, unless it is too late. */
  int statusOfFailure() {
    return response.isCommitted() ? response.getStatus() : 500;
  }

  @Override
  public void onComplete(AsyncEvent event) {
    if (state.get() == State.READY) {
      RateLimitFilter.warnOfMissingDispatch();
    }
    settle(response.getStatus());
  }

  @Override
  public void onTimeout(AsyncEvent event) throws IOException {
    if (state.compareAndSet(State.PENDING, State.ABANDONED)) {
      LOG.error("a request was not decided within {} ms", event.getAsyncContext().getTimeout());
      response.sendError(503);
      event.getAsyncContext().complete();
    }
  }

  @Override
  public void onError(AsyncEvent event) {
    state.compareAndSet(State.PENDING, State.ABANDONED);
  }

  /** The application is asynchronous itself: the end of that is the end of the request. */
  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().addListener(this);
  }
}
