package dev.sash.memory;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import java.util.zip.Checksum;

/**
 * A file with the state of a store: a mark, the version of the format, the content and a checksum.
 * It is written beside the former one, forced to the disk and renamed, so that there is always a
 * whole file.
 */
final class StateFile {
  private static final byte[] MARK = "SASHSTATE\n".getBytes(US_ASCII);
  private static final int VERSION = 1;
  private static final int HEAD_BYTES = MARK.length + Integer.BYTES;
  private static final int BUFFER_BYTES = 1 << 16;

  /** Writes the content. */
  interface Writer {
    void write(DataOutputStream out) throws IOException;
  }

  /** Reads the content. */
  interface Reader {
    void read(DataInputStream in) throws IOException;
  }

  private final Path file;

  StateFile(Path file) {
    this.file = file;
  }

  void write(Writer content) throws IOException {
    Path beside = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel channel =
        FileChannel.open(
            beside,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      Checksum checksum = new CRC32C();
      OutputStream buffered =
          new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
      DataOutputStream out = new DataOutputStream(new CheckedOutputStream(buffered, checksum));
      out.write(MARK);
      out.writeInt(VERSION);
      content.write(out);
      out.writeLong(checksum.getValue());
      out.flush();
      channel.force(true);
    }
    try {
      Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(beside, file, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /**
   * Checks the whole file, and then reads it.
   *
   * @throws IOException with a message that says what is wrong with the file
   */
  void read(Reader content) throws IOException {
    long contentBytes = Files.size(file) - HEAD_BYTES - Long.BYTES;
    check(contentBytes);
    try (DataInputStream in = open()) {
      in.skipNBytes(HEAD_BYTES);
      content.read(in);
    }
  }

  private void check(long contentBytes) throws IOException {
    Checksum checksum = new CRC32C();
    try (InputStream raw = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
        DataInputStream in = new DataInputStream(new CheckedInputStream(raw, checksum))) {
      if (!Arrays.equals(in.readNBytes(MARK.length), MARK)) {
        throw new IOException(file + " is not a state file of Sash");
      }
      if (contentBytes < 0) {
        throw new IOException(file + " is not complete: it ends in its head");
      }
      int version = in.readInt();
      if (version != VERSION) {
        throw new IOException(
            file + " must have version " + VERSION + " of the format, has " + version);
      }
      in.skipNBytes(contentBytes);
      long expected = checksum.getValue();
      if (in.readLong() != expected) {
        throw new IOException(file + " is damaged or not complete: its checksum is wrong");
      }
    }
  }

  private DataInputStream open() throws IOException {
    return new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES));
  }
}
