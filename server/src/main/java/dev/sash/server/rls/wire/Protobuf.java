package dev.sash.server.rls.wire;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What protobuf's coded streams leave to generated classes. The constants are tags: a field's
 * number and how it is written.
 */
final class Protobuf {
  static final int VARINT_1 = 1 << 3;
  static final int VARINT_2 = 2 << 3;
  static final int VARINT_3 = 3 << 3;
  static final int VARINT_4 = 4 << 3;
  static final int BYTES_1 = 1 << 3 | 2;
  static final int BYTES_2 = 2 << 3 | 2;
  static final int BYTES_3 = 3 << 3 | 2;

  /** Reads the fields of a message up to its end. */
  interface Reading<T> {
    T read(CodedInputStream in) throws IOException;
  }

  /** Writes the fields of a message. */
  interface Writing {
    void write(CodedOutputStream out) throws IOException;
  }

  private Protobuf() {}

  /** Reads a message within a message. */
  static <T> T nested(CodedInputStream in, Reading<T> reading) throws IOException {
    int outer = in.pushLimit(in.readRawVarint32());
    T message = reading.read(in);
    in.checkLastTagWas(0);
    in.popLimit(outer);
    return message;
  }

  /** Passes over a field that is unknown here. */
  static void skip(CodedInputStream in, int tag) throws IOException {
    if (!in.skipField(tag)) {
      throw new InvalidProtocolBufferException("a group ends that has not begun");
    }
  }

  /** A message as bytes. */
  static byte[] message(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    CodedOutputStream out = CodedOutputStream.newInstance(bytes, 128);
    try {
      writing.write(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    }
    return bytes.toByteArray();
  }
}
