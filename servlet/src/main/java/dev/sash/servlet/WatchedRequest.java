package dev.sash.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * The request as the rest of the chain sees it: in its first dispatch, even where the filter had to
 * be dispatched a second time to get there; and heard of when the application becomes asynchronous.
 */
final class WatchedRequest extends HttpServletRequestWrapper {
  private final Passage passage;
  private final DispatcherType dispatch;
  private boolean async;

  WatchedRequest(HttpServletRequest request, Passage passage) {
    super(request);
    this.passage = passage;
    this.dispatch = request.getDispatcherType();
    if (request.isAsyncStarted()) {
      watched(request.getAsyncContext());
    }
  }

  /** Whether the request became asynchronous; also if it no longer is. */
  boolean becameAsync() {
    return async;
  }

  /** A forward or an include of the application is still called what it is. */
  @Override
  public DispatcherType getDispatcherType() {
    DispatcherType now = super.getDispatcherType();
    return now == dispatch ? passage.dispatcherType() : now;
  }

  @Override
  public AsyncContext startAsync() {
    return watched(super.startAsync());
  }

  @Override
  public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
    return watched(super.startAsync(request, response));
  }

  private AsyncContext watched(AsyncContext context) {
    async = true;
    context.addListener(passage);
    return context;
  }
}
