package dev.sash.grpc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Limit;
import dev.sash.RateLimiter;
import dev.sash.Sash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimitInterceptorTest {
  private final RateLimiter limiter = Sash.inMemory(Limit.parse("1/1s"));
  private final RateLimitInterceptor.Builder builder = RateLimitInterceptor.builder();

  @Test
  void limitsSomethingOrIsNotBuilt() {
    assertThatThrownBy(() -> builder.exempt("a.B").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a limiter must be given by otherwise, forService, forMethod or rule");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "shop.Orders", "/Place", "shop.Orders/"})
  void refusesWhatIsNoFullMethodName(String name) {
    assertThatThrownBy(() -> builder.forMethod(name, limiter, CallKey.peer()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("method name must be a full one such as shop.Orders/Place, was '" + name + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "shop.Orders/Place"})
  void refusesWhatIsNoService(String name) {
    assertThatThrownBy(() -> builder.forService(name, limiter, CallKey.peer()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "service must be a name without a slash such as shop.Orders, was '" + name + "'");
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 1_000_000_001})
  void refusesCostsThatNoLimitTakes(long permits) {
    assertThatThrownBy(() -> builder.cost("shop.Orders", permits))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("permits must be between 1 and 1000000000, was " + permits);
  }

  @Test
  void refusesNull() {
    assertThatThrownBy(() -> builder.otherwise(null, CallKey.peer()))
        .hasMessage("limiter must not be null");
    assertThatThrownBy(() -> builder.otherwise(limiter, null)).hasMessage("key must not be null");
    assertThatThrownBy(() -> builder.exempt(null)).hasMessage("name must not be null");
    assertThatThrownBy(() -> builder.executor(null)).hasMessage("executor must not be null");
  }
}
