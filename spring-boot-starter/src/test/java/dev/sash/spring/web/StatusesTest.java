package dev.sash.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StatusesTest {
  @Test
  void areSingleOnesClassesAndRanges() {
    Statuses statuses = new Statuses(List.of("401", "5xx", "410-412"));

    for (int status : List.of(401, 500, 599, 410, 412)) {
      assertThat(statuses.test(status)).as("%d", status).isTrue();
    }
    for (int status : List.of(400, 402, 499, 409, 413, 200)) {
      assertThat(statuses.test(status)).as("%d", status).isFalse();
    }
  }
}
