package dev.sash.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.config.Configuration;
import dev.sash.redis.RedisStore;
import dev.sash.store.Store;
import dev.sash.testkit.redis.RedisServer;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Redis accepts requests and never answers, and the deadlines of the policies are longer than the
 * client waits: the failure rule still decides in time, or Envoy would admit.
 */
@Timeout(120)
class StalledRedisIT {
  @TempDir Path folder;

  private static RateLimitRequest request(String domain, String... keys) {
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain(domain);
    for (String key : keys) {
      request.addDescriptors(RlsServiceIT.descriptor(key, "ann"));
    }
    return request.build();
  }

  private static RateLimitResponse ask(RlsServer server, RateLimitRequest request) {
    return RateLimitServiceGrpc.newBlockingStub(server.channel)
        .withDeadlineAfter(2, TimeUnit.SECONDS)
        .shouldRateLimit(request);
  }

  @Test
  void theFailureRuleDecidesBeforeTheClientGivesUp() throws Exception {
    Files.writeString(
        folder.resolve("sash.yaml"),
        """
        policies:
          closed: {limit: 1000/1h, on-failure: closed, deadline: 30s}
          always: {limit: 1000/1h, on-failure: closed, deadline: 30s, charge: always}
          open: {limit: 1000/1h, on-failure: open, deadline: 30s}
        """);
    Files.writeString(
        folder.resolve("shop.yaml"),
        """
        domain: shop
        descriptors:
          - key: user
            rate_limit: {unit: hour, requests_per_unit: 1000}
          - key: path
            rate_limit: {unit: hour, requests_per_unit: 1000}
        """);
    try (RedisServer redis = RedisServer.start();
        Store store = RedisStore.connect(redis.uri());
        RlsServer server = new RlsServer(store, Configuration.load(folder))) {
      for (String domain : List.of("closed", "always", "open")) {
        assertThat(ask(server, request(domain, "key")).getOverallCode()).isEqualTo(Code.OK);
      }
      redis.pause();
      try {
        assertThat(ask(server, request("closed", "key", "key")).getOverallCode())
            .isEqualTo(Code.OVER_LIMIT);
        assertThat(ask(server, request("always", "key")).getOverallCode())
            .isEqualTo(Code.OVER_LIMIT);
        assertThat(ask(server, request("open", "key")).getOverallCode()).isEqualTo(Code.OK);
        assertThat(ask(server, request("shop", "user", "path")).getOverallCode())
            .isEqualTo(Code.OK);
      } finally {
        redis.resume();
      }
    }
  }
}
