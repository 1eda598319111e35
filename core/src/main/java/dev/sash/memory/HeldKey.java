package dev.sash.memory;

import dev.sash.Decision;
import dev.sash.store.KeyHandle;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import org.jspecify.annotations.Nullable;

/** A handle that remembers where its key is. */
final class HeldKey implements KeyHandle {
  final String key;
  final int hash;

  /** The entry, as it was found last. Guarded by the segment's lock. */
  @Nullable Entry entry;

  private final KeyTable keys;
  private final Segment segment;

  HeldKey(KeyTable keys, Segment segment, String key, int hash) {
    this.keys = keys;
    this.segment = segment;
    this.key = key;
    this.hash = hash;
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, long permits) {
    return segment.decide(operation, this, limits, keys.now(), permits);
  }
}
