package dev.sash.http;

import dev.sash.key.Keys;
import org.jspecify.annotations.Nullable;

/** The extractors that are more than a function. */
final class Extractors {
  private Extractors() {}

  /**
   * {@link KeyExtractor#clientAddress}.
   *
   * @param ipv4Bits the bits of an IPv4 address that identify a client
   * @param ipv6Bits the bits of an IPv6 address that identify a client
   */
  record ClientAddress(int ipv4Bits, int ipv6Bits) implements KeyExtractor {
    ClientAddress {
      check("ipv4Bits", 32, ipv4Bits);
      check("ipv6Bits", 128, ipv6Bits);
    }

    private static void check(String name, int most, int value) {
      if (value < 1 || value > most) {
        throw new IllegalArgumentException(
            name + " must be between 1 and " + most + ", was " + value);
      }
    }

    @Override
    public String keyOf(IncomingRequest request) {
      return Keys.ofAddress(request.client(), ipv4Bits, ipv6Bits);
    }
  }

  /**
   * An extractor that knows whether its key depends on the authenticated user.
   *
   * @param usesPrincipal whether the key depends on the user
   * @param extractor finds the key
   */
  record Derived(boolean usesPrincipal, KeyExtractor extractor) implements KeyExtractor {
    @Override
    public @Nullable String keyOf(IncomingRequest request) {
      return extractor.keyOf(request);
    }
  }
}
