package dev.sash.server.statistics;

import java.security.SecureRandom;

/**
 * A 64-bit hash of keys that depends on a secret: without it, nobody can foresee hashes, or try
 * keys until one has a given hash. Immutable.
 *
 * @param seed the first half of the secret
 * @param multiplier the second half; odd
 */
record KeyHash(long seed, long multiplier) {
  KeyHash {
    multiplier |= 1;
  }

  /** Returns a hash with a secret of this process. */
  static KeyHash random() {
    SecureRandom random = new SecureRandom();
    return new KeyHash(random.nextLong(), random.nextLong());
  }

  long of(String key) {
    long hash = seed;
    for (int i = 0; i < key.length(); i++) {
      hash = (hash ^ key.charAt(i)) * multiplier;
      hash ^= hash >>> 29; // multiplication only carries upwards; this brings it down again
    }
    // Uniform in all bits, as a sample of the least hashes needs it.
    hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
    hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
    return hash ^ (hash >>> 31);
  }
}
