package dev.sash.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * The request as the rest of the chain sees it: in its first dispatch, even if it was dispatched
 * again after the decision. Notices when the application makes the request asynchronous.
 */
final class WatchedRequest extends HttpServletRequestWrapper {
  private final RequestState state;
  private final DispatcherType dispatch;
  private boolean async;

  WatchedRequest(HttpServletRequest request, RequestState state) {
    super(request);
    this.state = state;
    this.dispatch = request.getDispatcherType();
    if (request.isAsyncStarted()) {
      watched(request.getAsyncContext());
    }
  }

  /** Returns whether the request has been made asynchronous, even if it no longer is. */
  boolean becameAsync() {
    return async;
  }

  /** Forwards and includes of the application keep their type. */
  @Override
  public DispatcherType getDispatcherType() {
    DispatcherType now = super.getDispatcherType();
    return now == dispatch ? state.dispatcherType() : now;
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
    context.addListener(state);
    return context;
  }
}
