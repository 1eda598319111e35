package dev.sash.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Limit;
import dev.sash.RateLimiter;
import dev.sash.Sash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallRuleTest {
  private final RateLimiter limiter = Sash.inMemory(Limit.parse("1/1s"));
  private final CallRule rule = CallRule.of(limiter, CallKey.peer());

  @ParameterizedTest
  @CsvSource({
    "test.Echo/Say, true, false",
    "test.Echo/*,   true, true",
    "test.Echo/S,   false, false",
    "test.Ech/*,    false, false",
    "*,             true, true"
  })
  void holdsForTheMethodsThatItNames(String named, boolean forSay, boolean forShout) {
    CallRule some = rule.forMethods("other.Service/Do", named);

    assertThat(some.holdsFor(EchoServer.SAY, false)).isEqualTo(forSay);
    assertThat(some.holdsFor(EchoServer.SHOUT, false)).isEqualTo(forShout);
  }

  @Test
  void holdsForWhatIsExemptOnlyIfItNamesIt() {
    assertThat(rule.holdsFor(EchoServer.HEALTH, true)).isFalse();
    assertThat(rule.forMethods("*").holdsFor(EchoServer.HEALTH, true)).isFalse();
    assertThat(rule.forMethods("grpc.health.v1.Health/*").holdsFor(EchoServer.HEALTH, true))
        .isTrue();
    assertThat(rule.forMethods("grpc.health.v1.Health/Check").holdsFor(EchoServer.HEALTH, true))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "shop.Orders", "/Place", "shop.Orders/", "shop.*/Place", "**", "a b/C", "/*"})
  void refusesWhatNamesNoMethod(String method) {
    assertThatThrownBy(() -> rule.forMethods(method))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "method must be a full name such as shop.Orders/Export, a service such as"
                + " shop.Search/* or *, was '"
                + method
                + "'");
  }

  @Test
  void refusesNoMethods() {
    assertThatThrownBy(rule::forMethods)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("methods must be 1 or more, were 0");
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 1_000_000_001})
  void refusesCostsThatNoLimitTakes(long permits) {
    assertThatThrownBy(() -> rule.cost(permits))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("permits must be between 1 and 1000000000, was " + permits);
  }

  @Test
  void refusesNull() {
    assertThatThrownBy(() -> CallRule.of(null, CallKey.peer()))
        .hasMessage("limiter must not be null");
    assertThatThrownBy(() -> CallRule.of(limiter, null)).hasMessage("key must not be null");
    assertThatThrownBy(() -> rule.forMethods((String) null)).hasMessage("method must not be null");
    assertThatThrownBy(() -> rule.shadowIf(null)).hasMessage("condition must not be null");
    assertThatThrownBy(() -> RateLimitInterceptor.builder().rule(null))
        .hasMessage("rule must not be null");
    assertThatThrownBy(() -> RateLimitInterceptor.of(limiter, CallKey.peer()).withRules(null))
        .hasMessage("condition must not be null");
  }
}
