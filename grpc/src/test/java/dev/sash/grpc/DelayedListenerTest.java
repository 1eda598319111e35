package dev.sash.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ServerCall;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DelayedListenerTest {
  private final DelayedListener<String> delayed = new DelayedListener<>();
  private final List<String> heard = Collections.synchronizedList(new ArrayList<>());
  private final List<Throwable> failures = new ArrayList<>();

  @Test
  void deliversInOrderWhatHappenedBeforeAndAfterTheStart() {
    delayed.onReady();
    delayed.onMessage("a");
    delayed.onMessage("b");
    assertThat(heard).isEmpty();
    assertThat(delayed.start(Hearing::new, failures::add)).isTrue();
    assertThat(heard).containsExactly("ready", "a", "b");
    delayed.onMessage("c");
    delayed.onHalfClose();
    delayed.onComplete();

    assertThat(heard).containsExactly("ready", "a", "b", "c", "half close", "complete");
    assertThat(failures).isEmpty();
  }

  @Test
  void doesNotStartWhatWasCancelled() {
    delayed.onReady();
    delayed.onCancel();
    AtomicBoolean made = new AtomicBoolean();
    boolean started =
        delayed.start(
            () -> {
              made.set(true);
              return new Hearing();
            },
            failures::add);

    assertThat(started).isFalse();
    assertThat(made).isFalse();
  }

  @Test
  void whatIsCancelledWhileItStartsHearsSo() {
    boolean started =
        delayed.start(
            () -> {
              delayed.onCancel();
              return new Hearing();
            },
            failures::add);

    assertThat(started).isTrue();
    assertThat(heard).containsExactly("cancel");
  }

  @Test
  void aListenerThatFailsHearsOnlyOfTheEnd() {
    delayed.onMessage("fail");
    delayed.onMessage("a");
    boolean started =
        delayed.start(
            () -> {
              delayed.onHalfClose();
              delayed.onCancel();
              return new Hearing();
            },
            failures::add);

    assertThat(started).isTrue();
    assertThat(heard).containsExactly("fail", "cancel");
    assertThat(failures).hasSize(1);
  }

  @Test
  void aHandlerThatFailsIsToldOf() {
    delayed.onReady();
    boolean started =
        delayed.start(
            () -> {
              throw new IllegalStateException("on purpose");
            },
            failures::add);
    delayed.onMessage("a");

    assertThat(started).isTrue();
    assertThat(heard).isEmpty();
    assertThat(failures).hasSize(1);
  }

  @RepeatedTest(50)
  void deliversInOrderAndOneAtATimeWhileItStarts() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    CountDownLatch some = new CountDownLatch(500);
    Thread transport =
        new Thread(
            () -> {
              for (int i = 0; i < 1_000; i++) {
                delayed.onMessage(Integer.toString(i));
                some.countDown();
              }
            });
    transport.start();
    some.await();
    delayed.start(
        () ->
            new Hearing() {
              @Override
              public void onMessage(String message) {
                assertThat(inside.incrementAndGet()).isOne();
                super.onMessage(message);
                inside.decrementAndGet();
              }
            },
        failures::add);
    transport.join();

    assertThat(failures).isEmpty();
    assertThat(heard).isEqualTo(IntStream.range(0, 1_000).mapToObj(Integer::toString).toList());
  }

  private class Hearing extends ServerCall.Listener<String> {
    @Override
    public void onMessage(String message) {
      heard.add(message);
      if (message.equals("fail")) {
        throw new IllegalStateException("on purpose");
      }
    }

    @Override
    public void onHalfClose() {
      heard.add("half close");
    }

    @Override
    public void onCancel() {
      heard.add("cancel");
    }

    @Override
    public void onComplete() {
      heard.add("complete");
    }

    @Override
    public void onReady() {
      heard.add("ready");
    }
  }
}
