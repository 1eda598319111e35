package dev.sash.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.store.Operation;
import dev.sash.store.StoreException;
import dev.sash.store.StoreException.Reason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What goes into a call, and what its reply means for each request. */
class BatchTest {
  private final LimitSet one = new LimitSet(List.of(Limit.parse("5/1m")));
  private final LimitSet two =
      new LimitSet(List.of(Limit.parse("5/1m"), Limit.parse("50/1h token-bucket")));
  private final KeyNames names = new KeyNames("t");
  private final List<Request> failed = new ArrayList<>();

  @Test
  void equalRequestsForAKeyAreOneRun() {
    Batch batch = new Batch();
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      requests.add(add(batch, Operation.ACQUIRE, "k", one, 1));
    }

    assertThat(batch.keys(names)).hasSize(1);
    assertThat(batch.program()).endsWith(7);
    read(batch, run(5, 5, 1_000, 60_000_000));
    assertThat(requests)
        .extracting(Request::join)
        .extracting(Decision::allowed, Decision::used, Decision::remaining)
        .containsExactly(
            tuple(true, 1L, 4L),
            tuple(true, 2L, 3L),
            tuple(true, 3L, 2L),
            tuple(true, 4L, 1L),
            tuple(true, 5L, 0L),
            tuple(false, 5L, 0L),
            tuple(false, 5L, 0L));
  }

  @Test
  void requestsForAKeyKeepTheirOrderUnderOtherLimits() {
    Batch batch = new Batch();
    batch.add(request(Operation.ACQUIRE, "k", one, 1));
    batch.add(request(Operation.ACQUIRE, "k", two, 1));
    batch.add(request(Operation.ACQUIRE, "k", one, 1));

    assertThat(batch.keys(names))
        .as("the second request for one limit is not moved before the one for two")
        .extracting(name -> name.substring(name.indexOf('}') + 2, name.lastIndexOf(':')))
        .containsExactly("sliding-log", "sliding-log", "token-bucket", "sliding-log");
  }

  @Test
  void policiesWithTheSameKeyAreApart() {
    Batch batch = new Batch();
    batch.add(new Request(Operation.ACQUIRE, "a", "k", one, 1));
    batch.add(new Request(Operation.ACQUIRE, "b", "k", one, 1));
    batch.add(new Request(Operation.ACQUIRE, "a", "k", one, 1));

    assertThat(batch.keys(names)).hasSize(2).doesNotHaveDuplicates();
    assertThat(batch.program()).endsWith(2, 1);
  }

  @Test
  void aFailureOfOneKeyFailsItsRequestsAlone() {
    Batch batch = new Batch();
    Request before = add(batch, Operation.ACQUIRE, "before", one, 1);
    Request first = add(batch, Operation.ACQUIRE, "spoilt", one, 1);
    Request second = add(batch, Operation.REFUND, "spoilt", one, 1);
    Request after = add(batch, Operation.ACQUIRE, "after", one, 1);

    read(batch, run(1, 1, 0, 1), failure("WRONGTYPE wrong"), run(1, 2, 0, 1));

    assertThat(before.join().used()).isEqualTo(1);
    assertThat(after.join().used()).isEqualTo(2);
    assertThat(failed).containsExactly(first, second);
    assertThat(reasonOf(first)).isEqualTo(Reason.FOREIGN_STATE);
  }

  @Test
  void aReplyOfAnotherLengthIsAFailureOfTheStore() {
    byte[] whole = run(1, 1, 0, 60_000_000);
    for (int length = 0; length <= whole.length + 8; length++) {
      Request request = new Request(Operation.ACQUIRE, "p", "k", one, 1);
      Batch.of(request).read(Arrays.copyOf(whole, length), Request::complete, this::fail);
      assertThat(request.isCompletedExceptionally())
          .as("%d bytes", length)
          .isEqualTo(length != whole.length);
      if (length != whole.length) {
        assertThat(reasonOf(request)).isEqualTo(Reason.UNAVAILABLE);
      }
    }
  }

  @Test
  void moreAdmittedThanAskedIsAFailureOfTheStore() {
    Request request = new Request(Operation.ACQUIRE, "p", "k", one, 1);
    Batch.of(request).read(run(2, 2, 0, 1), Request::complete, this::fail);
    assertThat(reasonOf(request)).isEqualTo(Reason.UNAVAILABLE);
  }

  @Test
  void aDenialWithoutAWaitIsAFailureOfTheStore() {
    Request request = new Request(Operation.ACQUIRE, "p", "k", one, 1);
    Batch.of(request).read(run(0, 5, 0, 1), Request::complete, this::fail);
    assertThat(reasonOf(request)).isEqualTo(Reason.UNAVAILABLE);
  }

  @Test
  void aBatchIsBoundedByWorkAndBytes() {
    Batch many = new Batch();
    int keys = 0;
    while (!many.isFull()) {
      many.add(request(Operation.ACQUIRE, "k" + keys++, one, 1));
    }
    assertThat(keys).isEqualTo(Batch.MAX_WORK);

    Batch hot = new Batch();
    int requests = 0;
    while (!hot.isFull()) {
      hot.add(request(Operation.ACQUIRE, "k", one, 1));
      requests++;
    }
    assertThat(requests).isEqualTo(Batch.MAX_REQUESTS);

    Batch large = new Batch();
    for (int i = 0; !large.isFull(); i++) {
      large.add(request(Operation.ACQUIRE, i + "x".repeat(1_000), one, 1));
    }
    assertThat(large.keys(names)).hasSizeLessThan(20);
  }

  @Test
  void theScriptAndJavaAgreeOnTheErrorOfForeignState() {
    assertThat(Script.DECIDE.source())
        .startsWith("local STATE_ERROR = '" + Failures.STATE_CODE + " ")
        .contains("error(STATE_ERROR, 0)");
  }

  private static Request request(Operation operation, String key, LimitSet set, long permits) {
    return new Request(operation, "p", key, set, permits);
  }

  private static Request add(
      Batch batch, Operation operation, String key, LimitSet set, long permits) {
    Request request = request(operation, key, set, permits);
    batch.add(request);
    return request;
  }

  private void read(Batch batch, byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteBuffer reply = ByteBuffer.allocate(length);
    for (byte[] part : parts) {
      reply.put(part);
    }
    batch.read(reply.array(), Request::complete, this::fail);
  }

  private void fail(Request request, StoreException failure) {
    failed.add(request);
    request.completeExceptionally(failure);
  }

  private static Reason reasonOf(Request request) {
    return ((StoreException) request.handle((decision, thrown) -> thrown).join()).reason();
  }

  private static byte[] run(int admitted, double... numbers) {
    ByteBuffer reply = ByteBuffer.allocate(2 + 8 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
    reply.putShort((short) admitted);
    for (double number : numbers) {
      reply.putDouble(number);
    }
    return reply.array();
  }

  private static byte[] failure(String message) {
    ByteBuffer reply = ByteBuffer.allocate(4 + message.length()).order(ByteOrder.LITTLE_ENDIAN);
    reply.putShort((short) -1).putShort((short) message.length());
    return reply.put(message.getBytes(US_ASCII)).array();
  }
}
