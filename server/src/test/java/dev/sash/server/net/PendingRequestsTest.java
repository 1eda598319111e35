package dev.sash.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingRequestsTest {
  private final PendingRequests pending = new PendingRequests(2);
  private final List<String> expired = new ArrayList<>();

  private PendingRequests.Pending request(String name) {
    return new PendingRequests.Pending() {
      @Override
      protected void expire() {
        expired.add(name);
        pending.ended(this);
      }
    };
  }

  private void ticks(int count) {
    for (int i = 0; i < count; i++) {
      pending.tick();
    }
  }

  @Test
  void expiresARequestOnceWhenItsTimeIsOver() {
    pending.began(request("first"));
    ticks(1);
    pending.began(request("second"));
    ticks(1);
    assertThat(expired).isEmpty();
    ticks(1);
    assertThat(expired).containsExactly("first");
    ticks(5);
    assertThat(expired).containsExactly("first", "second");
  }

  @Test
  void doesNotExpireARequestThatEnded() {
    PendingRequests.Pending request = request("ended");
    pending.began(request);
    ticks(2);
    pending.ended(request);
    pending.ended(request);
    ticks(5);
    assertThat(expired).isEmpty();
  }

  @Test
  void givesARequestThatBeginsAnewAllTheTime() {
    PendingRequests.Pending again = request("again");
    pending.began(again);
    pending.began(request("other"));
    ticks(2);
    pending.began(again);
    ticks(2);
    assertThat(expired).containsExactly("other");
    ticks(1);
    assertThat(expired).containsExactly("other", "again");
  }
}
