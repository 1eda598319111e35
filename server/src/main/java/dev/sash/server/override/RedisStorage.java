package dev.sash.server.override;

import dev.sash.redis.RedisDocument;
import dev.sash.redis.RedisStore;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Keeps overrides in Redis, where all servers with the same prefix share them. */
public final class RedisStorage implements OverrideStorage {
  private final RedisDocument document;

  /**
   * Creates a storage.
   *
   * @param store has the connection
   */
  public RedisStorage(RedisStore store) {
    this.document = store.document("overrides");
  }

  @Override
  public CompletionStage<@Nullable Stored> read(String known) {
    return document
        .read(known)
        .thenApply(found -> found.map(it -> new Stored(it.version(), it.content())).orElse(null));
  }

  @Override
  public CompletionStage<Boolean> replace(String expected, Stored next) {
    return document.replace(expected, new RedisDocument.Content(next.version(), next.content()));
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public String kind() {
    return "redis";
  }
}
