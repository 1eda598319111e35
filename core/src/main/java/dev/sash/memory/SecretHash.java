package dev.sash.memory;

import java.security.SecureRandom;

/** A hash of strings that cannot be foreseen by who does not know its secret. */
final class SecretHash {
  private final long seed;
  private final long multiplier;

  SecretHash() {
    SecureRandom random = new SecureRandom();
    seed = random.nextLong();
    multiplier = random.nextLong() | 1;
  }

  int of(String key) {
    long hash = seed;
    for (int i = 0; i < key.length(); i++) {
      hash = (hash ^ key.charAt(i)) * multiplier;
      hash ^= hash >>> 29; // multiplication only carries upwards; this brings it down again
    }
    return (int) (hash ^ (hash >>> 32));
  }
}
