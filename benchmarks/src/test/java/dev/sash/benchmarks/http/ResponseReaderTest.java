package dev.sash.benchmarks.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResponseReaderTest {
  private static final String OK = "HTTP/1.1 200 \r\nContent-Length: 5\r\nDate: today\r\n\r\nhello";
  private static final String TOO_MANY =
      "HTTP/1.1 429 \r\nRetry-After: 7\r\ncontent-length:0\r\n\r\n";

  /** Each text arrives at once, and no two together. */
  private static ResponseReader reading(String... arrivals) {
    Enumeration<InputStream> streams =
        Collections.enumeration(
            Arrays.stream(arrivals)
                .map(text -> (InputStream) new ByteArrayInputStream(text.getBytes(ISO_8859_1)))
                .toList());
    return new ResponseReader(new SequenceInputStream(streams));
  }

  @Test
  void tellsTheStatusOfOneResponseAfterTheOther() throws IOException {
    ResponseReader reader = reading(OK, TOO_MANY, OK);
    assertThat(List.of(reader.next(), reader.next(), reader.next())).containsExactly(200, 429, 200);
  }

  @Test
  void waitsForTheWholeResponse() throws IOException {
    for (int cut = 1; cut < OK.length(); cut++) {
      ResponseReader reader = reading(OK.substring(0, cut), OK.substring(cut), TOO_MANY);
      assertThat(reader.next()).isEqualTo(200);
      assertThat(reader.next()).isEqualTo(429);
    }
  }

  @Test
  void failsWhenTheConnectionEnds() {
    assertThatExceptionOfType(EOFException.class)
        .isThrownBy(() -> reading(OK.substring(0, OK.length() - 1)).next())
        .withMessageContaining("after " + (OK.length() - 1) + " bytes");
  }

  @Test
  void refusesWhatItCannotTellTheEndOf() {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> reading("HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n").next())
        .withMessageContaining("without Content-Length");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> reading(OK + "more").next())
        .withMessageContaining("more than the response");
  }
}
