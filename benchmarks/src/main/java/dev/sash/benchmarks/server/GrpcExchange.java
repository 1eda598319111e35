package dev.sash.benchmarks.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * As much of gRPC over HTTP/2 as a unary call takes, to which the answer is a message and trailers.
 * Header fields are sent without compression, so that the bytes of a call are known beforehand.
 */
final class GrpcExchange extends Exchange {
  private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);
  private static final int FRAME_HEAD = 9;
  private static final int MESSAGE_HEAD = 5;
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GO_AWAY = 7;
  private static final int WINDOW_UPDATE = 8;
  private static final int END_STREAM = 1;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;

  /** More than a run ever receives. */
  private static final int WINDOW = Integer.MAX_VALUE - (1 << 16);

  private final byte[] head;
  private int stream = 1;
  private byte[] message = {};

  GrpcExchange(int port, String method) throws IOException {
    super(port);
    head = fields(method, port);
    ByteArrayOutputStream opening = new ByteArrayOutputStream();
    opening.writeBytes(PREFACE);
    opening.writeBytes(frame(SETTINGS, 0, 0, new byte[0]));
    opening.writeBytes(frame(WINDOW_UPDATE, 0, 0, ByteBuffer.allocate(4).putInt(WINDOW).array()));
    send(ByteBuffer.wrap(opening.toByteArray()));
  }

  /** The last answer. */
  byte[] message() {
    return message;
  }

  @Override
  void ask(byte[] request) throws IOException {
    ByteArrayOutputStream call = new ByteArrayOutputStream(128);
    call.writeBytes(frame(HEADERS, END_HEADERS, stream, head));
    byte[] framed = new byte[MESSAGE_HEAD + request.length];
    ByteBuffer.wrap(framed).put((byte) 0).putInt(request.length).put(request);
    call.writeBytes(frame(DATA, END_STREAM, stream, framed));
    send(ByteBuffer.wrap(call.toByteArray()));
  }

  @Override
  boolean isWhole() throws IOException {
    boolean whole = false;
    int at = 0;
    while (at + FRAME_HEAD <= filled && at + FRAME_HEAD + length(at) <= filled) {
      whole |= isEnd(at);
      at += FRAME_HEAD + length(at);
    }
    System.arraycopy(answer, at, answer, 0, filled - at);
    filled -= at;
    if (whole) {
      stream += 2;
    }
    return whole;
  }

  private int length(int frame) {
    return (answer[frame] & 255) << 16 | (answer[frame + 1] & 255) << 8 | (answer[frame + 2] & 255);
  }

  /** Whether a frame is the last of the answer. */
  private boolean isEnd(int frame) throws IOException {
    int flags = answer[frame + 4];
    int begin = frame + FRAME_HEAD;
    switch (answer[frame + 3]) {
      case DATA ->
          message = Arrays.copyOfRange(answer, begin + MESSAGE_HEAD, begin + length(frame));
      case HEADERS -> {
        return (flags & END_STREAM) != 0;
      }
      case SETTINGS, PING -> {
        if ((flags & ACK) == 0) {
          byte[] echo =
              answer[frame + 3] == PING
                  ? Arrays.copyOfRange(answer, begin, begin + length(frame))
                  : new byte[0];
          send(ByteBuffer.wrap(frame(answer[frame + 3], ACK, 0, echo)));
        }
      }
      case RST_STREAM, GO_AWAY -> throw new IOException("the server gave up the call");
      default -> {}
    }
    return false;
  }

  private static byte[] frame(int type, int flags, int stream, byte[] payload) {
    return ByteBuffer.allocate(FRAME_HEAD + payload.length)
        .put((byte) (payload.length >> 16))
        .putShort((short) payload.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  private static byte[] fields(String method, int port) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    String[][] fields = {
      {":method", "POST"},
      {":scheme", "http"},
      {":path", method},
      {":authority", "localhost:" + port},
      {"content-type", "application/grpc"},
      {"te", "trailers"}
    };
    for (String[] field : fields) {
      block.write(0); // a literal, not to be indexed, with a name of its own
      for (String text : field) {
        block.write(text.length()); // less than 127 of them, not Huffman's code
        block.writeBytes(text.getBytes(US_ASCII));
      }
    }
    return block.toByteArray();
  }
}
