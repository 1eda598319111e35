package dev.sash.server.rls;

import static dev.sash.server.rls.domain.EnvoyFiles.any;
import static dev.sash.server.rls.domain.EnvoyFiles.minutely;
import static dev.sash.server.rls.domain.EnvoyFiles.shop;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.config.Configuration;
import dev.sash.redis.RedisStore;
import dev.sash.store.Store;
import dev.sash.testkit.redis.RedisServer;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two servers that share a real Redis. */
@Timeout(180)
class RlsRedisIT {
  private static final Configuration SHOP =
      shop(any("user", minutely(50)), any("path", minutely(1_000)));

  @Test
  void ofTwoHundredParallelRequestsExactlyFiftyAreAdmittedTwentyTimes() throws Exception {
    try (RedisServer redis = RedisServer.start();
        Store store = RedisStore.connect(redis.uri());
        RlsServer one = new RlsServer(store, SHOP);
        Store another = RedisStore.connect(redis.uri());
        RlsServer two = new RlsServer(another, SHOP)) {
      for (int i = 0; i < 20; i++) {
        RateLimitRequest request =
            RlsServiceIT.request(
                RlsServiceIT.descriptor("path", "/" + i),
                RlsServiceIT.descriptor("user", "user-" + i));
        long admitted =
            RlsServiceIT.admittedOfTwoHundred(one, request)
                + RlsServiceIT.admittedOfTwoHundred(two, request);
        assertThat(admitted).isEqualTo(50);
        RateLimitResponse path =
            RateLimitServiceGrpc.newBlockingStub(two.channel)
                .shouldRateLimit(RlsServiceIT.request(RlsServiceIT.descriptor("path", "/" + i)));
        assertThat(path.getStatuses(0).getLimitRemaining()).isEqualTo(1_000 - 51);
      }
    }
  }
}
