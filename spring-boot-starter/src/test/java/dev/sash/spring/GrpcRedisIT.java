package dev.sash.spring;

import static dev.sash.spring.GrpcShop.FIND;
import static dev.sash.spring.GrpcShop.PLACE;
import static dev.sash.spring.GrpcShop.basic;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.redis.RedisServer;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.security.core.context.SecurityContextHolder;

/** Limits of gRPC calls that several servers share through a real Redis. */
@Timeout(120)
class GrpcRedisIT {
  private static GrpcShop start(RedisServer redis, String... policies) {
    return GrpcShop.start(
        GrpcShop.with(
            TestApp.plain(GrpcShop.Application.class, GrpcSecurityIT.Secured.class)
                .withSecurity()
                .with("sash.redis.uri=" + redis.uri()),
            policies));
  }

  @Test
  void of200ParallelCallsToTwoServersExactlyTheLimitGetThrough() throws Exception {
    String[] policies = {
      "search.limits=50/1h",
      "search.grpc-methods=shop.Search/*",
      "search.failure-rule=closed",
      "search.deadline=30s",
      "all.limits=60/1h",
      "all.grpc-methods=*",
      "all.failure-rule=closed",
      "all.deadline=30s"
    };
    try (RedisServer redis = RedisServer.start();
        GrpcShop one = start(redis, policies);
        GrpcShop two = start(redis, policies)) {
      List<Future<String>> calls = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        calls.add((i % 2 == 0 ? one : two).callLater(FIND));
      }
      int admitted = 0;
      for (Future<String> call : calls) {
        try {
          assertThat(call.get()).isEqualTo("done");
          admitted++;
        } catch (ExecutionException e) {
          assertThat(Status.fromThrowable(e.getCause()).getCode())
              .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        }
      }
      assertThat(admitted).isEqualTo(50);
      // What one policy denied is not charged to the other: ten are left there.
      for (int i = 0; i < 10; i++) {
        one.call(PLACE, basic("ann"));
      }
      StatusRuntimeException denied = GrpcIT.denied(two, PLACE, basic("ann"));
      assertThat(denied.getStatus().getDescription()).startsWith("limit 'all' exceeded");
      assertThat(GrpcIT.retryAfter(denied)).isBetween(Duration.ofMinutes(55), Duration.ofHours(1));
    }
  }

  @Test
  void theServiceKnowsTheUserWhomRedisLimits() throws Exception {
    try (RedisServer redis = RedisServer.start();
        GrpcShop shop =
            start(
                redis,
                "guesses.limits=9/1h",
                "guesses.grpc-methods=*",
                "guesses.deadline=30s",
                "orders.limits=1/1h",
                "orders.grpc-methods=shop.Orders/*",
                "orders.deadline=30s",
                "orders.key=user")) {
      shop.answer(() -> SecurityContextHolder.getContext().getAuthentication().getName());
      assertThat(shop.call(PLACE, basic("ann"))).isEqualTo("ann");
      assertThat(shop.call(PLACE, basic("bob"))).isEqualTo("bob");
      assertThat(GrpcIT.denied(shop, PLACE, basic("ann")).getStatus().getCode())
          .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(GrpcIT.denied(shop, PLACE, basic("eve")).getStatus().getCode())
          .isEqualTo(Status.Code.UNAUTHENTICATED);
    }
  }

  @Test
  void theFailureRuleDecidesWithoutRedis() throws Exception {
    try (RedisServer redis = RedisServer.start();
        GrpcShop shop =
            start(
                redis,
                "search.limits=9/1h",
                "search.grpc-methods=shop.Search/*",
                "search.failure-rule=closed",
                "search.deadline=30s",
                "orders.limits=9/1h",
                "orders.grpc-methods=shop.Orders/*",
                "orders.failure-rule=open",
                "orders.deadline=30s")) {
      shop.call(FIND);
      redis.kill();

      assertThat(GrpcIT.denied(shop, FIND).getStatus().getCode())
          .isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(shop.call(PLACE, basic("ann"))).isEqualTo("done");
    }
  }
}
