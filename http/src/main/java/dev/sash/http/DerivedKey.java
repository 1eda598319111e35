package dev.sash.http;

import org.jspecify.annotations.Nullable;

/**
 * An extractor that knows whether its key depends on the authenticated user.
 *
 * @param usesPrincipal whether the key depends on the user
 * @param extractor finds the key
 */
record DerivedKey(boolean usesPrincipal, KeyExtractor extractor) implements KeyExtractor {
  @Override
  public @Nullable String keyOf(IncomingRequest request) {
    return extractor.keyOf(request);
  }
}
