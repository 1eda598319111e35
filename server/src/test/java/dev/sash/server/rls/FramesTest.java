package dev.sash.server.rls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class FramesTest {
  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  static Buffer gzipped(byte[] message) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(message);
    }
    return Frames.framed(packed.toByteArray()).setByte(0, (byte) 1);
  }

  @Test
  void messagesAreFoundHoweverTheyAreCut() {
    Buffer stream =
        Frames.framed(bytes(1, 2, 3))
            .appendBuffer(Frames.framed(new byte[0]))
            .appendBuffer(Frames.framed(bytes(4)));
    for (int piece = 1; piece <= stream.length(); piece++) {
      Frames frames = Frames.encoded(null);
      Buffer found = Buffer.buffer();
      int messages = 0;
      for (int i = 0; i < stream.length(); i += piece) {
        frames.add(stream.getBuffer(i, Math.min(stream.length(), i + piece)));
        for (byte[] next = frames.next(); next != null; next = frames.next()) {
          found.appendBytes(next);
          messages++;
        }
      }
      frames.end();
      assertThat(messages).isEqualTo(3);
      assertThat(found.getBytes()).containsExactly(1, 2, 3, 4);
    }
  }

  @Test
  void aStreamThatEndsWithinAMessageSaysSo() {
    Frames frames = Frames.encoded("identity");
    frames.add(Frames.framed(bytes(1, 2, 3)).getBuffer(0, 6));

    assertThat(frames.next()).isNull();
    assertThatThrownBy(frames::end)
        .isInstanceOf(GrpcException.class)
        .hasMessage("the stream ends 6 bytes into a message");
  }

  @Test
  void aMessageOf64KibIsTakenAndOneMoreByteRefusedBeforeItArrives() {
    Frames frames = Frames.encoded(null);
    frames.add(Frames.framed(new byte[Frames.MAX_MESSAGE]));
    assertThat(frames.next()).hasSize(Frames.MAX_MESSAGE);

    frames.add(Buffer.buffer(bytes(0, 0, 1, 0, 1)));
    assertThatThrownBy(frames::next)
        .isInstanceOfSatisfying(
            GrpcException.class,
            e -> assertThat(e.status()).isEqualTo(GrpcStatus.RESOURCE_EXHAUSTED))
        .hasMessage("a message must be at most 65536 bytes, was 65537 or more");
  }

  @Test
  void whatGzipPackedIsUnpackedButNotWithoutEnd() throws IOException {
    Frames frames = Frames.encoded("GZIP");
    frames.add(gzipped(bytes(1, 2, 3)));
    assertThat(frames.next()).containsExactly(1, 2, 3);

    frames.add(gzipped(new byte[10_000_000]));
    assertThatThrownBy(frames::next).hasMessageStartingWith("a message must be at most 65536");
  }

  @Test
  void whatIsNotPackedAsItClaimsIsRefused() throws IOException {
    Frames plain = Frames.encoded(null);
    plain.add(gzipped(bytes(1)));
    assertThatThrownBy(plain::next).hasMessageContaining("grpc-encoding does not say how");

    Frames gzip = Frames.encoded("gzip");
    gzip.add(Frames.framed(bytes(1, 2, 3)).setByte(0, (byte) 1));
    assertThatThrownBy(gzip::next).hasMessage("a message is not what gzip makes");

    Frames odd = Frames.encoded(null);
    odd.add(Buffer.buffer(bytes(2, 0, 0, 0, 0)));
    assertThatThrownBy(odd::next).hasMessage("a message must begin with 0 or 1, was 2");

    assertThatThrownBy(() -> Frames.encoded("snappy"))
        .isInstanceOfSatisfying(
            GrpcException.class, e -> assertThat(e.status()).isEqualTo(GrpcStatus.UNIMPLEMENTED));
  }
}
