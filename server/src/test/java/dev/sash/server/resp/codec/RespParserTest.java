package dev.sash.server.resp.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RespParserTest {
  private static final RespParser.Bounds BOUNDS = new RespParser.Bounds(1024, 16, 2048);
  private static final String PIPELINE =
      String.join(
          "\r\n",
          "*2",
          "$4",
          "PING",
          "$2",
          "hi",
          "*0",
          "  SASH.CHECK  api\tann 2 ",
          "",
          "*3",
          "$4",
          "ECHO",
          "$0",
          "",
          "$12",
          "*1\r\n$1\r\nä\r\n",
          "PING\n");
  private static final List<List<String>> REQUESTS =
      List.of(
          List.of("PING", "hi"),
          List.of("SASH.CHECK", "api", "ann", "2"),
          List.of("ECHO", "", "*1\r\n$1\r\nä\r\n"),
          List.of("PING"));

  private final RespParser parser = new RespParser(BOUNDS);

  @Test
  void readsArraysAndInlineCommandsInAPipeline() throws ProtocolException {
    assertThat(requests(PIPELINE.getBytes(UTF_8))).isEqualTo(REQUESTS);
    assertThat(parser.isPartial()).isFalse();
  }

  @Test
  void readsTheSameWhereverTheNetworkCuts() throws ProtocolException {
    byte[] bytes = PIPELINE.getBytes(UTF_8);
    for (int first = 0; first <= bytes.length; first++) {
      for (int second = first; second <= bytes.length; second++) {
        List<List<String>> read = requests(Arrays.copyOfRange(bytes, 0, first));
        read.addAll(requests(Arrays.copyOfRange(bytes, first, second)));
        read.addAll(requests(Arrays.copyOfRange(bytes, second, bytes.length)));
        assertThat(read).as("cut at %d and %d", first, second).isEqualTo(REQUESTS);
      }
    }
  }

  @Test
  void readsByteByByte() throws ProtocolException {
    List<List<String>> read = new ArrayList<>();
    for (int round = 0; round < 100; round++) {
      for (byte b : PIPELINE.getBytes(UTF_8)) {
        read.addAll(requests(b));
      }
    }
    assertThat(read).hasSize(400);
    assertThat(read.subList(396, 400)).isEqualTo(REQUESTS);
    assertThat(parser.isPartial()).isFalse();
  }

  @Test
  void knowsThatARequestHasBegun() throws ProtocolException {
    requests('*');
    assertThat(parser.isPartial()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          *1\\r\\n!4\\r\\n          | expected '$', got '!'
          *1\\r\\n\\u0007           | expected '$', got '?'
          *\\r\\n                   | invalid multibulk length
          *-1\\r\\n                 | invalid multibulk length
          *1\\n                     | invalid multibulk length
          *1\\rx                    | invalid multibulk length
          *+1\\r\\n                 | invalid multibulk length
          *17\\r\\n                 | invalid multibulk length
          *99999999999\\r\\n        | invalid multibulk length
          *00000000000000001\\r\\n  | invalid multibulk length
          *1\\r\\n$-1\\r\\n         | invalid bulk length
          *1\\r\\n$1025\\r\\n       | invalid bulk length
          *1\\r\\n$4\\r\\nPINGPONG  | bulk string is longer than it says
          *1\\r\\n$4\\r\\nPING\\r_  | bulk string is longer than it says
          PING "hi"\\r\\n           | quotes are not understood in inline commands
          1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7\\n | too big inline request
          """)
  void refusesWhatIsNotRespAndSaysWhy(String escaped, String complaint) {
    String sent = escaped.replace("\\r", "\r").replace("\\n", "\n").replace("\\u0007", "\u0007");
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> requests(sent.getBytes(UTF_8)))
        .withMessage(complaint);
  }

  @Test
  void refusesARequestThatIsTooLongBeforeItIsComplete() {
    String half = "$1024\r\n" + "x".repeat(1024) + "\r\n";
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> requests(("*3\r\n" + half + "$1024\r\n").getBytes(UTF_8)))
        .withMessage("too big request");
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> new RespParserTest().requests("x".repeat(2049).getBytes(UTF_8)))
        .withMessage("too big request");
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> new RespParserTest().requests(("x".repeat(1025) + "\n").getBytes(UTF_8)))
        .withMessage("too big inline request");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 2048, 4096})
  void boundsARequestTheSameWhereverTheNetworkCuts(int piece) throws ProtocolException {
    String word = "$1009\r\n" + "x".repeat(1009) + "\r\n"; // 1018 bytes
    String exact = "*3\r\n" + word + word + "$2\r\nok\r\n"; // 2048 bytes
    assertThat(inPieces(exact, piece)).hasSize(1);
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> inPieces(exact.replace("$2\r\nok", "$3\r\nbad"), piece))
        .withMessage("too big request");
    String line = (" ".repeat(1023) + "x").repeat(2).substring(1) + "\n"; // 2048 bytes
    assertThat(inPieces(line, piece)).hasSize(1);
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> inPieces(" " + line, piece))
        .withMessage("too big request");
  }

  private static List<List<String>> inPieces(String text, int piece) throws ProtocolException {
    byte[] bytes = text.getBytes(UTF_8);
    RespParser parser = new RespParser(BOUNDS);
    List<List<String>> read = new ArrayList<>();
    for (int from = 0; from < bytes.length; from += piece) {
      int to = Math.min(bytes.length, from + piece);
      read.addAll(requests(parser, Arrays.copyOfRange(bytes, from, to)));
    }
    return read;
  }

  @Test
  void acceptsTheBoundsThemselves() throws ProtocolException {
    String word = "x".repeat(1024);
    assertThat(requests(("*1\r\n$1024\r\n" + word + "\r\n").getBytes(UTF_8)))
        .isEqualTo(List.of(List.of(word)));
    assertThat(requests(("*16\r\n" + "$1\r\nx\r\n".repeat(16)).getBytes(UTF_8)).get(0)).hasSize(16);
  }

  private List<List<String>> requests(int... bytes) throws ProtocolException {
    byte[] narrow = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      narrow[i] = (byte) bytes[i];
    }
    return requests(narrow);
  }

  private List<List<String>> requests(byte[] bytes) throws ProtocolException {
    return requests(parser, bytes);
  }

  /** The arguments of all requests that are complete. */
  static List<List<String>> requests(RespParser parser, byte[] bytes) throws ProtocolException {
    parser.feed(bytes);
    List<List<String>> requests = new ArrayList<>();
    for (Request request = parser.next(); request != null; request = parser.next()) {
      List<String> words = new ArrayList<>();
      for (int i = 0; i < request.size(); i++) {
        words.add(new String(request.bytes(i), UTF_8));
      }
      requests.add(words);
    }
    return requests;
  }
}
