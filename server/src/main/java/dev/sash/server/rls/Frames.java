package dev.sash.server.rls;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a gRPC stream: each has five bytes in front, whether it is compressed and how
 * long it is. Holds at most one message and what arrived with its end. Not thread-safe.
 */
final class Frames {
  /** The longest message taken, as it is sent and when it is unpacked. */
  static final int MAX_MESSAGE = 64 * 1024;

  private static final int PREFIX = 5;

  private final boolean gzip;
  private Buffer bytes = Buffer.buffer();
  private int position;

  private Frames(boolean gzip) {
    this.gzip = gzip;
  }

  /**
   * The messages of a stream.
   *
   * @param encoding its field {@code grpc-encoding}
   * @throws GrpcException if that is unknown here
   */
  static Frames encoded(@Nullable String encoding) {
    return switch (encoding == null ? "identity" : encoding.toLowerCase(Locale.ROOT)) {
      case "identity" -> new Frames(false);
      case "gzip" -> new Frames(true);
      default ->
          throw new GrpcException(
              GrpcStatus.UNIMPLEMENTED, "grpc-encoding must be identity or gzip");
    };
  }

  /** A message with its prefix. */
  static Buffer framed(byte[] message) {
    return Buffer.buffer(PREFIX + message.length)
        .appendByte((byte) 0)
        .appendInt(message.length)
        .appendBytes(message);
  }

  /** Bytes that have arrived. */
  void add(Buffer more) {
    if (position > 0) {
      bytes = Buffer.buffer().appendBuffer(bytes, position, bytes.length() - position);
      position = 0;
    }
    bytes.appendBuffer(more);
  }

  /**
   * The next message.
   *
   * @return null if it is not all there yet
   * @throws GrpcException if it is too long or cannot be unpacked
   */
  byte @Nullable [] next() {
    int there = bytes.length() - position;
    if (there < PREFIX) {
      return null;
    }
    int compressed = bytes.getUnsignedByte(position);
    long length = bytes.getUnsignedInt(position + 1);
    if (compressed > 1) {
      throw GrpcException.invalid("a message must begin with 0 or 1, was " + compressed);
    }
    if (length > MAX_MESSAGE) {
      throw tooLong(length);
    }
    if (there < PREFIX + length) {
      return null;
    }
    int start = position + PREFIX;
    position = start + (int) length;
    byte[] message = bytes.getBytes(start, position);
    return compressed == 0 ? message : unpacked(message);
  }

  /**
   * The stream has ended.
   *
   * @throws GrpcException if it did so within a message
   */
  void end() {
    int rest = bytes.length() - position;
    if (rest > 0) {
      throw GrpcException.invalid("the stream ends " + rest + " bytes into a message");
    }
  }

  private byte[] unpacked(byte[] message) {
    if (!gzip) {
      throw GrpcException.invalid("a message is compressed, and grpc-encoding does not say how");
    }
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(message))) {
      byte[] unpacked = in.readNBytes(MAX_MESSAGE + 1);
      if (unpacked.length > MAX_MESSAGE) {
        throw tooLong(unpacked.length);
      }
      return unpacked;
    } catch (IOException e) {
      throw GrpcException.invalid("a message is not what gzip makes");
    }
  }

  private static GrpcException tooLong(long length) {
    return new GrpcException(
        GrpcStatus.RESOURCE_EXHAUSTED,
        "a message must be at most " + MAX_MESSAGE + " bytes, was " + length + " or more");
  }
}
