package dev.sash.server.resp.command;

import dev.sash.server.resp.codec.ReplyWriter;

/** The place of a reply among those that wait. */
interface Slot {
  /** Whether the reply is known. */
  boolean isDone();

  /** Writes a reply that is known. */
  void writeTo(ReplyWriter reply);

  /** How many bytes are kept for it. */
  default int size() {
    return 0;
  }

  /** A reply that only waits for those before it. */
  final class Written implements Slot {
    private final byte[] bytes;

    Written(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public boolean isDone() {
      return true;
    }

    @Override
    public void writeTo(ReplyWriter reply) {
      reply.raw(bytes);
    }

    @Override
    public int size() {
      return bytes.length;
    }
  }
}
