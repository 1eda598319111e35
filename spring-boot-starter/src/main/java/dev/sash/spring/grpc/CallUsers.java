package dev.sash.spring.grpc;

import dev.sash.grpc.CallKey;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.grpc.server.security.AuthenticationProcessInterceptor;
import org.springframework.grpc.server.security.GrpcSecurity;
import org.springframework.grpc.server.security.SecurityContextServerInterceptor;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/** Knows who calls, from Spring Security. */
final class CallUsers implements Callers {
  private static final Logger LOG = LoggerFactory.getLogger(CallUsers.class);

  private final ObjectProvider<ServerInterceptor> interceptors;

  /**
   * Creates it.
   *
   * @param interceptors those of the application; one of them may authenticate
   */
  CallUsers(ObjectProvider<ServerInterceptor> interceptors) {
    this.interceptors = interceptors;
  }

  @Override
  public CallKey user() {
    return CallKey.by("user", (call, headers) -> name());
  }

  @Override
  public @Nullable String whyUnknown(ServerInterceptor place) {
    List<ServerInterceptor> ordered = interceptors.orderedStream().toList();
    for (ServerInterceptor interceptor : ordered) {
      if (interceptor instanceof AuthenticationProcessInterceptor
          && ordered.indexOf(interceptor) > ordered.indexOf(place)) {
        return "AuthenticationProcessInterceptor must have an order below "
            + GrpcLimitInterceptor.BEHIND_SECURITY
            + ", as it has unless set, since later ones come behind the limits";
      }
    }
    if (ordered.stream().noneMatch(CallUsers::knowsUser)) {
      LOG.warn(
          "No gRPC call has a user unless an interceptor of your own sets Spring Security's"
              + " context: there is no AuthenticationProcessInterceptor");
    }
    return null;
  }

  private static boolean knowsUser(ServerInterceptor interceptor) {
    return interceptor instanceof AuthenticationProcessInterceptor
        || interceptor instanceof SecurityContextServerInterceptor;
  }

  private static @Nullable String name() {
    SecurityContext context = GrpcSecurity.SECURITY_CONTEXT_KEY.get();
    Authentication user =
        (context == null ? SecurityContextHolder.getContext() : context).getAuthentication();
    return user == null || !user.isAuthenticated() || user instanceof AnonymousAuthenticationToken
        ? null
        : user.getName();
  }

  @Override
  public <Q, A> ServerCallHandler<Q, A> keeping(ServerCallHandler<Q, A> handler) {
    SecurityContext context = SecurityContextHolder.getContext();
    return (call, headers) -> {
      SecurityContext former = SecurityContextHolder.getContext();
      SecurityContextHolder.setContext(context);
      try {
        return new UserListener<>(handler.startCall(call, headers), context);
      } finally {
        SecurityContextHolder.setContext(former);
      }
    };
  }

  /** Delivers events with a user. */
  private static final class UserListener<Q> extends SimpleForwardingServerCallListener<Q> {
    private final SecurityContext context;

    UserListener(ServerCall.Listener<Q> listener, SecurityContext context) {
      super(listener);
      this.context = context;
    }

    private void deliver(Runnable event) {
      SecurityContext former = SecurityContextHolder.getContext();
      SecurityContextHolder.setContext(context);
      try {
        event.run();
      } finally {
        SecurityContextHolder.setContext(former);
      }
    }

    @Override
    public void onMessage(Q message) {
      deliver(() -> super.onMessage(message));
    }

    @Override
    public void onHalfClose() {
      deliver(super::onHalfClose);
    }

    @Override
    public void onReady() {
      deliver(super::onReady);
    }

    @Override
    public void onComplete() {
      deliver(super::onComplete);
    }

    @Override
    public void onCancel() {
      deliver(super::onCancel);
    }
  }
}
