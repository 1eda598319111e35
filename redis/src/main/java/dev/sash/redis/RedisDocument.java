package dev.sash.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.internal.Bounds;
import dev.sash.store.StoreException;
import dev.sash.store.StoreException.Reason;
import io.lettuce.core.ScriptOutputType;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A document in Redis that all processes with the same prefix share, such as settings that change
 * while they run. It is read and replaced as a whole, and replaced only if it still has the version
 * that the change was made from, so that no change is lost. To ask for a version that is known
 * already costs one {@code GET} of a few bytes. Thread-safe.
 *
 * <p>Stages complete exceptionally with a {@link StoreException} if Redis is unavailable; then the
 * document may or may not have been replaced.
 */
public final class RedisDocument {
  /** The most bytes of a document: 16 MiB. */
  public static final int MAX_BYTES = 16 << 20;

  /** The version of a document that does not exist. */
  public static final String NO_VERSION = "";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
  private static final byte LINE_BREAK = '\n';

  /**
   * A version of a document.
   *
   * @param version 1 to 64 letters, digits, hyphens and underscores, different from all others; or
   *     {@link #NO_VERSION}
   * @param content at most {@link #MAX_BYTES} bytes, which must not be changed
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Content(String version, byte[] content) {}

  private final Link link;
  private final String versionKey;
  private final String contentKey;

  RedisDocument(Link link, KeyNames names, String name) {
    this.link = link;
    String tagged = names.tagged("_document", checked("name", name));
    this.versionKey = tagged + ":version";
    this.contentKey = tagged + ":content";
  }

  private static String checked(String what, String text) {
    if (!NAME.matcher(text).matches()) {
      throw new IllegalArgumentException(
          what + " must be 1 to 64 of A-Z a-z 0-9 _ -, was '" + text + "'");
    }
    return text;
  }

  /**
   * Reads the document.
   *
   * @param known a version that need not be read again; {@link #NO_VERSION} for none
   * @return completes with the document, which has {@link #NO_VERSION} if it does not exist; empty
   *     if it has the known version
   */
  public CompletionStage<Optional<Content>> read(String known) {
    return link.ask("read a document", commands -> commands.get(versionKey))
        .thenCompose(
            version -> {
              if (version == null) {
                return CompletableFuture.completedStage(
                    Optional.of(new Content(NO_VERSION, new byte[0])));
              }
              if (Arrays.equals(version, known.getBytes(UTF_8))) {
                return CompletableFuture.completedStage(Optional.empty());
              }
              return link.ask("read a document", commands -> commands.get(contentKey))
                  .thenApply(stored -> Optional.of(content(stored)));
            });
  }

  private static Content content(byte @Nullable [] stored) {
    int end = 0;
    while (stored != null && end < stored.length && stored[end] != LINE_BREAK) {
      end++;
    }
    if (stored != null && end < stored.length && end <= 64) {
      String version = new String(stored, 0, end, UTF_8);
      if (NAME.matcher(version).matches()) {
        return new Content(version, Arrays.copyOfRange(stored, end + 1, stored.length));
      }
    }
    throw new StoreException(
        Reason.FOREIGN_STATE, "the key of a document holds something else", null);
  }

  /**
   * Replaces the document.
   *
   * @param expected the version that it must have; {@link #NO_VERSION} if it must not exist
   * @param next the next version
   * @return completes with true if it was replaced, with false if it had another version
   * @throws IllegalArgumentException if the version or the number of bytes cannot be used
   */
  public CompletionStage<Boolean> replace(String expected, Content next) {
    byte[] version = checked("version", next.version).getBytes(UTF_8);
    Bounds.check("bytes of a document", 0, MAX_BYTES, next.content.length);
    byte[] stored = Arrays.copyOf(version, version.length + 1 + next.content.length);
    stored[version.length] = LINE_BREAK;
    System.arraycopy(next.content, 0, stored, version.length + 1, next.content.length);
    String[] keys = {versionKey, contentKey};
    return link.<Long>ask(
            "replace a document",
            commands ->
                commands.eval(
                    Script.REPLACE_DOCUMENT,
                    ScriptOutputType.INTEGER,
                    keys,
                    expected.getBytes(UTF_8),
                    version,
                    stored))
        .thenApply(replaced -> replaced == 1);
  }
}
