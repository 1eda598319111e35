package dev.sash.server.rls;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Messages as they are sent. */
final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
  static final Bytes MARSHALLER = new Bytes();

  /** Spares gRPC from counting the bytes. */
  private static final class Message extends ByteArrayInputStream implements KnownLength {
    Message(byte[] bytes) {
      super(bytes);
    }
  }

  private Bytes() {}

  @Override
  public InputStream stream(byte[] message) {
    return new Message(message);
  }

  @Override
  public byte[] parse(InputStream stream) {
    try {
      return stream.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
