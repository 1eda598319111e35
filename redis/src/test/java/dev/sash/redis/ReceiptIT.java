package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.FaultProxy;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A refund goes to where the permits were charged, whatever decides meanwhile. */
@Timeout(60)
@ExtendWith(ConnectedBefore.class)
class ReceiptIT {
  private static final Policy POLICY =
      Policy.of("api", Limit.parse("5/1h")).withDeadline(Duration.ofMillis(100));

  @Test
  void whatWasAdmittedLocallyForgivesNothingInRedis() {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(server);
        RedisStore store = RedisStore.connect(proxy.uri())) {
      RateLimiter limiter = store.limiter(POLICY);
      awaitSource(limiter, Source.STORE);
      Decision inRedis = limiter.tryAcquire("k", 2);
      proxy.refuse();
      awaitSource(limiter, Source.LOCAL);
      List<Decision> locally = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        locally.add(limiter.tryAcquire("k"));
      }
      assertThat(locally).allMatch(d -> d.allowed() && d.source() == Source.LOCAL);
      assertThat(limiter.tryAcquire("k").allowed()).as("2 in Redis and 3 here").isFalse();
      proxy.pass();
      awaitSource(limiter, Source.STORE);

      locally.forEach(charged -> limiter.refund("k", 1, charged));

      assertThat(limiter.peek("k").used()).isEqualTo(2);
      assertThat(limiter.tryAcquire("k", 4).allowed()).isFalse();
      assertThat(limiter.refund("k", 1, inRedis).used()).isEqualTo(1);
    }
  }

  @Test
  void whatWasAdmittedWithoutAChargeIsNotRefunded() {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(server);
        RedisStore store = RedisStore.connect(proxy.uri())) {
      RateLimiter limiter = store.limiter(POLICY.onFailure(FailureRule.OPEN));
      awaitSource(limiter, Source.STORE);
      limiter.tryAcquire("k", 5);
      proxy.refuse();
      awaitSource(limiter, Source.FAILURE_RULE);
      Decision admitted = limiter.tryAcquire("k", 3);
      assertThat(admitted.allowed()).isTrue();
      proxy.pass();
      awaitSource(limiter, Source.STORE);

      assertThat(limiter.refund("k", 3, admitted).used()).isEqualTo(5);
    }
  }

  private static void awaitSource(RateLimiter limiter, Source source) {
    while (limiter.peek("another key").source() != source) {
      Callers.pause(Duration.ofMillis(5)); // until the timeout
    }
  }
}
