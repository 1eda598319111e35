package dev.sash.server.resp.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sash.server.access.RespCredentials;
import dev.sash.server.resp.RespOptions;
import dev.sash.server.resp.codec.ProtocolException;
import dev.sash.server.resp.codec.ReplyReader;
import dev.sash.server.resp.codec.Request;
import dev.sash.server.resp.codec.RespParser;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What anybody may send, led by coverage: nothing throws, and every reply is RESP to the letter. In
 * the build each test runs on the inputs in {@code RespFuzzInputs}; CONTRIBUTING.md tells how to
 * look for more.
 */
class RespFuzz {
  private static final RespParser.Bounds BOUNDS = new RespParser.Bounds(64, 16, 256);

  /** Where the network cuts makes no difference. */
  @FuzzTest(maxDuration = "1m")
  void requests(FuzzedDataProvider data) {
    int piece = data.consumeInt(1, 16);
    byte[] sent = data.consumeRemainingAsBytes();
    assertThat(read(sent, piece)).isEqualTo(read(sent, Math.max(1, sent.length)));
  }

  /** The requests that are read, and whether something was refused then. */
  private static List<Object> read(byte[] sent, int piece) {
    RespParser parser = new RespParser(BOUNDS);
    List<Object> read = new ArrayList<>();
    try {
      for (int from = 0; from < sent.length; from += piece) {
        parser.feed(Arrays.copyOfRange(sent, from, Math.min(sent.length, from + piece)));
        for (Request request = parser.next(); request != null; request = parser.next()) {
          assertThat(request.size()).isBetween(1, 16);
          List<List<Byte>> words = new ArrayList<>();
          for (int i = 0; i < request.size(); i++) {
            assertThat(request.length(i)).isBetween(0, 64);
            words.add(boxed(request.bytes(i)));
          }
          read.add(words);
        }
      }
    } catch (ProtocolException e) {
      read.add("refused"); // in which words depends on how much is seen at once
    }
    return read;
  }

  private static List<Byte> boxed(byte[] bytes) {
    List<Byte> boxed = new ArrayList<>();
    for (byte b : bytes) {
      boxed.add(b);
    }
    return boxed;
  }

  /** Every request has a reply, and after an end there are no more. */
  @FuzzTest(maxDuration = "1m")
  void replies(FuzzedDataProvider data) {
    boolean guarded = data.consumeBoolean();
    RespOptions options =
        RespOptions.builder()
            .credentials(
                guarded ? RespCredentials.of(RespCredentials.DEFAULT_USER, "secret") : null)
            .build();
    TestConversation client = new TestConversation(options);
    client.get().received(data.consumeRemainingAsBytes());
    assertThat(client.wire.replies()).noneMatch(RespFuzz::isOurFailure);
    client.get().finish();
    assertThat(client.wire.replies()).isEmpty();
    client.send("PING\r\n");
    assertThat(client.wire.replies()).isEmpty();
  }

  private static boolean isOurFailure(@Nullable Object reply) {
    return reply instanceof ReplyReader.ErrorReply error
        && error.message().startsWith("UNAVAILABLE");
  }
}
