package dev.sash.server.rls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GrpcTimeoutTest {
  @ParameterizedTest
  @CsvSource({
    "20m, 20",
    "1S, 1000",
    "2M, 120000",
    "1H, 3600000",
    "0S, 0",
    "1u, 1",
    "1000u, 1",
    "1001u, 2",
    "1n, 1",
    "99999999n, 100",
    "00000020m, 20",
  })
  void isInMillisecondsRoundedUp(String field, long millis) {
    assertThat(GrpcTimeout.millis(field)).isEqualTo(millis);
  }

  @Test
  void whatIsNotGivenOrLongerThanADayIsNone() {
    assertThat(GrpcTimeout.millis(null)).isEqualTo(GrpcTimeout.NONE);
    assertThat(GrpcTimeout.millis("99999999H")).isEqualTo(GrpcTimeout.NONE);
    assertThat(GrpcTimeout.millis("25H")).isEqualTo(GrpcTimeout.NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "m", "20", "20x", "-1m", "+1m", "1 m", "123456789m", "١m", "1.5S"})
  void whatCannotBeReadIsRefused(String field) {
    assertThatThrownBy(() -> GrpcTimeout.millis(field))
        .isInstanceOf(GrpcException.class)
        .hasMessage("grpc-timeout must be 1 to 8 digits and one of H M S m u n");
  }
}
