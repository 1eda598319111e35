package dev.sash.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.redis.RedisStore;
import dev.sash.testkit.redis.RedisServer;
import io.grpc.Status;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits of a real server, shared through a real Redis. */
@Timeout(120)
class RedisIT {
  private static final Policy FIFTY =
      Policy.of("api", Limit.parse("50/1h"))
          .onFailure(FailureRule.CLOSED)
          .withDeadline(Duration.ofSeconds(30));

  @Test
  void ofTwoHundredParallelCallsExactlyFiftyAreAdmitted() throws Exception {
    try (RedisServer redis = RedisServer.start();
        RedisStore store = RedisStore.connect(redis.uri());
        EchoServer server =
            new EchoServer(RateLimitInterceptor.of(store.limiter(FIFTY), CallKey.peer()))) {
      assertThat(RateLimitInterceptorIT.admittedOfTwoHundred(server)).isEqualTo(50);
      assertThat(server.handled()).isEqualTo(50);
    }
  }

  @Test
  void aLimitThatCannotBeCheckedAndFailsClosedIsUnavailable() throws Exception {
    try (RedisServer redis = RedisServer.start();
        RedisStore store = RedisStore.connect(redis.uri())) {
      RateLimiter limiter = store.limiter(FIFTY);
      try (EchoServer server = new EchoServer(RateLimitInterceptor.of(limiter, CallKey.peer()))) {
        server.call(EchoServer.SAY);
        redis.kill();
        Denied denied = Denied.by(() -> server.call(EchoServer.SAY));

        assertThat(denied.code()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(denied.description())
            .isEqualTo("limit 'api' cannot be checked at the moment, retry after 1 s");
        assertThat(server.handled()).isOne();
      }
    }
  }
}
