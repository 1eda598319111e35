package dev.sash.server.override;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps overrides in a file of one server: a line with a mark, the version of the format, that of
 * the content and a checksum, and then the content. It is written beside the former one, forced to
 * the disk and renamed, so that there is always a whole file.
 */
public final class FileStorage implements OverrideStorage {
  private static final Logger LOG = LoggerFactory.getLogger(FileStorage.class);
  private static final String FILE = "overrides.sash";
  private static final Pattern HEAD =
      Pattern.compile("SASHOVERRIDES ([0-9]{1,9}) ([A-Za-z0-9_-]{1,64}) ([0-9a-f]{8})");
  private static final int FORMAT = 1;
  private static final int MAX_HEAD_BYTES = 128;

  private final Path file;

  /**
   * Creates a storage.
   *
   * @param directory exists, and is of this server alone
   */
  public FileStorage(Path directory) {
    this.file = directory.resolve(FILE);
  }

  /** A file that cannot be used is kept under another name: it may be all there is. */
  @Override
  public CompletionStage<@Nullable Stored> read(String known) {
    try {
      if (!Files.exists(file)) {
        return CompletableFuture.completedStage(new Stored(NO_VERSION, new byte[0]));
      }
      if (Files.size(file) > StoredForm.MAX_BYTES + MAX_HEAD_BYTES) {
        return CompletableFuture.completedStage(refused(file + " is too large"));
      }
      Stored stored = parse(Files.readAllBytes(file));
      StoredForm.read(stored.content());
      return CompletableFuture.completedStage(stored);
    } catch (IllegalArgumentException e) {
      return CompletableFuture.completedStage(refused(file + ": " + e.getMessage()));
    } catch (IOException e) {
      return CompletableFuture.failedStage(
          new OverrideStorageException("overrides cannot be read from " + file + ": " + e, e));
    }
  }

  private Stored refused(String reason) {
    Path kept = file.resolveSibling(FILE + ".refused");
    try {
      Files.move(file, kept, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new OverrideStorageException(
          "overrides cannot be used, nor moved to " + kept + ": " + e, e);
    }
    LOG.error("Overrides refused: {}. They are kept as {}, and none is in force", reason, kept);
    return new Stored(NO_VERSION, new byte[0]);
  }

  /** Returns what a file holds; fails with an {@link IllegalArgumentException} that says why. */
  static Stored parse(byte[] bytes) {
    int end = 0;
    while (end < bytes.length && end < MAX_HEAD_BYTES && bytes[end] != '\n') {
      end++;
    }
    Matcher head = HEAD.matcher(new String(bytes, 0, end, US_ASCII));
    if (end == bytes.length || !head.matches()) {
      throw new IllegalArgumentException("it must begin as a file of overrides, and does not");
    }
    if (Integer.parseInt(head.group(1)) != FORMAT) {
      throw new IllegalArgumentException(
          "it must have version " + FORMAT + " of the format, has " + head.group(1));
    }
    byte[] content = Arrays.copyOfRange(bytes, end + 1, bytes.length);
    if (!checksum(content).equals(head.group(3))) {
      throw new IllegalArgumentException("it is damaged or not complete: its checksum is wrong");
    }
    return new Stored(head.group(2), content);
  }

  /** Returns a file. */
  static byte[] format(Stored stored) {
    String head =
        "SASHOVERRIDES " + FORMAT + " " + stored.version() + " " + checksum(stored.content());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes((head + "\n").getBytes(US_ASCII));
    bytes.writeBytes(stored.content());
    return bytes.toByteArray();
  }

  private static String checksum(byte[] content) {
    CRC32C checksum = new CRC32C();
    checksum.update(content);
    return String.format(Locale.ROOT, "%08x", checksum.getValue());
  }

  @Override
  public CompletionStage<Boolean> replace(String expected, Stored next) {
    try {
      write(format(next));
      return CompletableFuture.completedStage(true);
    } catch (IOException e) {
      return CompletableFuture.failedStage(
          new OverrideStorageException(
              "overrides cannot be saved to " + file + ", and are as before: " + e, e));
    }
  }

  private void write(byte[] bytes) throws IOException {
    Path beside = file.resolveSibling(FILE + ".new");
    try (FileChannel channel =
        FileChannel.open(
            beside,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      channel.force(true);
    }
    try {
      Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(beside, file, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public String kind() {
    return "file";
  }
}
