package dev.sash.spring;

import static dev.sash.spring.GrpcShop.FIND;
import static dev.sash.spring.GrpcShop.PLACE;
import static dev.sash.spring.GrpcShop.basic;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.StringValue;
import dev.sash.LimiterRegistry;
import dev.sash.spring.config.BadConfigurationException;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.grpc.server.GlobalServerInterceptor;
import org.springframework.grpc.server.exception.GrpcExceptionHandler;
import org.springframework.grpc.server.security.AuthenticationProcessInterceptor;
import org.springframework.grpc.server.security.GrpcSecurity;
import org.springframework.security.config.Customizer;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/** Calls of users whom Spring Security knows, and of those whom it does not. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class GrpcSecurityIT {
  private static final String HERE = "ip:127.0.0.1";

  @Configuration(proxyBeanMethods = false)
  static class Users {
    @Bean
    InMemoryUserDetailsManager users() {
      return new InMemoryUserDetailsManager(
          User.withUsername("ann").password("{noop}secret").roles("USER").build(),
          User.withUsername("bob").password("{noop}secret").roles("USER").build());
    }
  }

  static AuthenticationProcessInterceptor authentication(GrpcSecurity security) throws Exception {
    return security
        .authorizeRequests(
            requests -> requests.methods("shop.Orders/*").authenticated().allRequests().permitAll())
        .httpBasic(Customizer.withDefaults())
        .build();
  }

  @Configuration(proxyBeanMethods = false)
  static class Secured extends Users {
    @Bean
    @GlobalServerInterceptor
    AuthenticationProcessInterceptor authenticating(GrpcSecurity security) throws Exception {
      return authentication(security);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class SecuredTooLate extends Users {
    @Bean
    @GlobalServerInterceptor
    @Order(100)
    AuthenticationProcessInterceptor authenticating(GrpcSecurity security) throws Exception {
      return authentication(security);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Late {
    @Bean
    LateStore store() {
      return new LateStore();
    }

    /** Sees the user on the thread that starts the call; events come on gRPC's own mostly. */
    @Bean
    @GlobalServerInterceptor
    @Order(10)
    Starts starts() {
      return new Starts();
    }
  }

  private static final class Starts implements ServerInterceptor {
    private volatile String user = "";

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      user = GrpcSecurityIT.user();
      return next.startCall(call, headers);
    }
  }

  private static TestApp.Builder app(Class<?> security, String... policies) {
    return GrpcShop.with(
        TestApp.plain(GrpcShop.Application.class, security).withSecurity(), policies);
  }

  private static GrpcShop start(String... policies) {
    return GrpcShop.start(app(Secured.class, policies));
  }

  private static Status.Code denied(
      GrpcShop shop, MethodDescriptor<StringValue, StringValue> method, String... metadata) {
    return GrpcIT.denied(shop, method, metadata).getStatus().getCode();
  }

  private static long used(GrpcShop shop, String policy, String key) {
    return shop.app().bean(LimiterRegistry.class).get(policy).resolve(key).tryAcquire(0).used();
  }

  @Test
  void eachUserHasALimit() {
    try (GrpcShop shop =
        start("orders.limits=1/1m", "orders.grpc-methods=shop.Orders/*", "orders.key=user")) {
      shop.call(PLACE, basic("ann"));
      assertThat(denied(shop, PLACE, basic("ann"))).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      shop.call(PLACE, basic("bob"));

      assertThat(used(shop, "orders", "user:ann")).isEqualTo(1);
      assertThat(used(shop, "orders", "user:bob")).isEqualTo(1);
    }
  }

  @Test
  void aCallWithoutAUserIsLimitedByItsAddress() {
    try (GrpcShop shop =
        start("all.limits=1/1m", "all.grpc-methods=*", "all.key=user | header:x-tenant")) {
      shop.call(FIND, basic("ann"));
      shop.call(FIND, "x-tenant", "blue");
      shop.call(FIND);

      assertThat(denied(shop, FIND)).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(used(shop, "all", HERE)).isEqualTo(1);
      assertThat(used(shop, "all", "header:x-tenant:blue")).isEqualTo(1);
    }
  }

  @Test
  void guessedPasswordsAreLimitedSinceKeysWithoutTheUserAreCheckedBeforeSecurity() {
    try (GrpcShop shop = start("guesses.limits=2/1m", "guesses.grpc-methods=shop.Orders/*")) {
      assertThat(denied(shop, PLACE, basic("eve"))).isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(denied(shop, PLACE)).isEqualTo(Status.Code.UNAUTHENTICATED);

      assertThat(denied(shop, PLACE, basic("eve"))).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }
  }

  @Test
  void whatSecurityAnswersIsNotChargedBehindIt() {
    try (GrpcShop shop =
        start(
            "orders.limits=2/1m",
            "orders.grpc-methods=shop.Orders/*",
            "orders.place=after-security")) {
      assertThat(denied(shop, PLACE, basic("eve"))).isEqualTo(Status.Code.UNAUTHENTICATED);

      assertThat(used(shop, "orders", HERE)).isZero();
      shop.call(PLACE, basic("ann"));
      assertThat(used(shop, "orders", HERE)).isEqualTo(1);
    }
  }

  @Test
  void whatIsDeniedBehindSecurityIsNotChargedBeforeIt() {
    try (GrpcShop shop =
        start(
            "all.limits=9/1m",
            "all.grpc-methods=*",
            "orders.limits=1/1m",
            "orders.grpc-methods=shop.Orders/*",
            "orders.key=user")) {
      shop.call(PLACE, basic("ann"));
      assertThat(denied(shop, PLACE, basic("ann"))).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      shop.call(PLACE, basic("bob"));

      assertThat(used(shop, "all", HERE)).isEqualTo(2);
    }
  }

  /** A late decision starts a call on another thread, to which Security's user must be taken. */
  @Test
  void theServiceKnowsTheUserWhenTheDecisionIsLate() throws Exception {
    for (String key : new String[] {"ip", "user"}) {
      try (GrpcShop shop =
          GrpcShop.start(
              app(Secured.class, "orders.limits=9/1m", "orders.grpc-methods=*", "orders.key=" + key)
                  .alsoWith(Late.class))) {
        shop.answer(GrpcSecurityIT::user);
        Future<String> call = shop.callLater(PLACE, basic("ann"));
        shop.app().bean(LateStore.class).decide();
        assertThat(call.get()).as(key).isEqualTo("ann");
        assertThat(shop.app().bean(Starts.class).user).as(key).isEqualTo("ann");

        call = shop.callLater(FIND);
        shop.app().bean(LateStore.class).decide();
        assertThat(call.get()).as(key).isEqualTo("nobody");
        assertThat(shop.app().bean(Starts.class).user).as(key).isEqualTo("nobody");
      }
    }
  }

  /** The thread on which the first decision started the call may be that of the second as well. */
  @Test
  void theServiceKnowsTheUserWhenTwoDecisionsAreLate() throws Exception {
    try (GrpcShop shop =
        GrpcShop.start(
            app(
                    Secured.class,
                    "all.limits=99/1m",
                    "all.grpc-methods=*",
                    "orders.limits=99/1m",
                    "orders.grpc-methods=*",
                    "orders.key=user")
                .alsoWith(Late.class))) {
      shop.answer(GrpcSecurityIT::user);
      LateStore store = shop.app().bean(LateStore.class);
      Future<String> call = shop.callLater(PLACE, basic("ann"));
      store.decide();
      while (store.pending() == 0 || isAnyCallStarting()) {
        Thread.onSpinWait();
      }
      store.decide();
      assertThat(call.get()).isEqualTo("ann");
      assertThat(shop.app().bean(Starts.class).user).isEqualTo("ann");
    }
  }

  /**
   * Of the threads that start late calls, the one that became idle last is the next to start one.
   */
  private static boolean isAnyCallStarting() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("sash-grpc"))
        .anyMatch(thread -> thread.getState() != Thread.State.TIMED_WAITING);
  }

  private static String user() {
    Authentication user = SecurityContextHolder.getContext().getAuthentication();
    return user == null ? "nobody" : user.getName();
  }

  @Test
  void aLateDecisionChangesNoStatusAndLogsNoError(CapturedOutput output) throws Exception {
    for (String key : new String[] {"ip", "user"}) {
      try (GrpcShop shop =
          GrpcShop.start(
              app(Secured.class, "orders.limits=9/1m", "orders.grpc-methods=*", "orders.key=" + key)
                  .alsoWith(Late.class))) {
        if (key.equals("ip")) {
          assertThat(lateCode(shop, PLACE)).isEqualTo(Status.Code.UNAUTHENTICATED);
          assertThat(lateCode(shop, PLACE, basic("eve"))).isEqualTo(Status.Code.UNAUTHENTICATED);
        }
        shop.answer(
            () -> {
              throw Status.NOT_FOUND.asRuntimeException();
            });
        assertThat(lateCode(shop, FIND)).isEqualTo(Status.Code.NOT_FOUND);
      }
    }
    assertThat(output).doesNotContain("ERROR", "Exception");
  }

  @Configuration(proxyBeanMethods = false)
  static class CountedFailures {
    @Bean
    AtomicInteger failures() {
      return new AtomicInteger();
    }

    @Bean
    GrpcExceptionHandler counting(AtomicInteger failures) {
      return failure -> {
        failures.incrementAndGet();
        return null;
      };
    }
  }

  @Test
  void theApplicationHandlesAnExceptionNoMoreOftenThanWithoutLimits() {
    int[] handled = new int[2];
    for (int i = 0; i < 2; i++) {
      TestApp.Builder app =
          app(Secured.class, "all.limits=9/1m", "all.grpc-methods=*")
              .alsoWith(CountedFailures.class)
              .with("sash.enabled=" + (i == 1));
      try (GrpcShop shop = GrpcShop.start(app)) {
        shop.answer(
            () -> {
              throw new IllegalStateException("broken");
            });
        assertThat(denied(shop, FIND)).isEqualTo(Status.Code.UNKNOWN);
        handled[i] = shop.app().bean(AtomicInteger.class).get();
      }
    }
    assertThat(handled[0]).isPositive();
    assertThat(handled[1]).isEqualTo(handled[0]);
  }

  private static Status.Code lateCode(
      GrpcShop shop, MethodDescriptor<StringValue, StringValue> method, String... metadata)
      throws Exception {
    Future<String> call = shop.callLater(method, metadata);
    shop.app().bean(LateStore.class).decide();
    try {
      return Status.fromThrowable(new AssertionError(call.get())).getCode();
    } catch (ExecutionException e) {
      return ((StatusRuntimeException) e.getCause()).getStatus().getCode();
    }
  }

  @Test
  void securityBehindTheLimitsEndsTheStart() {
    TestApp.Builder late =
        app(SecuredTooLate.class, "orders.limits=1/1m", "orders.grpc-methods=*", "orders.key=user");

    assertThatThrownBy(late.withGrpc()::start)
        .isInstanceOf(BadConfigurationException.class)
        .hasMessageContaining("sash.policies.orders.key: cannot contain 'user'")
        .hasMessageContaining("AuthenticationProcessInterceptor must have an order below -5");
  }

  @Test
  void warnsOfUsersWhomNobodyAuthenticates(CapturedOutput output) {
    String[] policies = {"orders.limits=1/1m", "orders.grpc-methods=*", "orders.key=user"};
    GrpcShop.start(app(Users.class, policies)).close();
    assertThat(output).contains("No gRPC call has a user");

    int warned = output.getAll().length();
    GrpcShop.start(app(Secured.class, policies)).close();
    assertThat(output.getAll().substring(warned)).doesNotContain("No gRPC call has a user");
  }
}
