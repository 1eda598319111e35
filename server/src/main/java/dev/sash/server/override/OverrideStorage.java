package dev.sash.server.override;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Where overrides are kept: one document, read and replaced as a whole. Used by one thread at a
 * time.
 */
public interface OverrideStorage {
  /** The version of a document that does not exist. */
  String NO_VERSION = "";

  /**
   * A document.
   *
   * @param version distinguishes it from every other one; {@link #NO_VERSION} if there is none
   * @param content the content
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Stored(String version, byte[] content) {}

  /**
   * Reads the document.
   *
   * @param known a version that is not read again
   * @return completes with the document; with null if it has the known version
   */
  CompletionStage<@Nullable Stored> read(String known);

  /**
   * Replaces the document.
   *
   * @param expected the version that it must have
   * @param next the next document
   * @return completes with whether it was replaced; false if it had another version
   */
  CompletionStage<Boolean> replace(String expected, Stored next);

  /**
   * Returns whether others may replace the document.
   *
   * @return true if it has to be read again and again
   */
  boolean isShared();

  /**
   * Where it is, for answers.
   *
   * @return {@code memory}, {@code file} or {@code redis}
   */
  String kind();

  /**
   * Returns a storage that forgets everything when the process ends.
   *
   * @return the storage
   */
  static OverrideStorage inMemory() {
    return new OverrideStorage() {
      @Override
      public CompletionStage<@Nullable Stored> read(String known) {
        return CompletableFuture.completedStage(null);
      }

      @Override
      public CompletionStage<Boolean> replace(String expected, Stored next) {
        return CompletableFuture.completedStage(true);
      }

      @Override
      public boolean isShared() {
        return false;
      }

      @Override
      public String kind() {
        return "memory";
      }
    };
  }
}
