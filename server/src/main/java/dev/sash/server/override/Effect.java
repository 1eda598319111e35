package dev.sash.server.override;

import java.util.Locale;

/** What an override does to the requests of its keys. */
public enum Effect {
  /** Other limits apply instead of the policy's. */
  LIMITS,
  /** Requests are admitted without a charge. */
  UNLIMITED,
  /** Requests are denied without a charge. */
  BLOCK;

  private final String id = name().toLowerCase(Locale.ROOT);

  /**
   * How requests, answers and meters write it.
   *
   * @return for example {@code block}
   */
  public String id() {
    return id;
  }

  /**
   * Returns the effect of a name.
   *
   * @param id the name, as of {@link #id}
   * @return the effect
   * @throws IllegalArgumentException if there is none of that name
   */
  public static Effect of(String id) {
    for (Effect effect : values()) {
      if (effect.id.equals(id)) {
        return effect;
      }
    }
    throw new IllegalArgumentException(
        "effect must be limits, unlimited or block, was '" + TextRule.quotable(id) + "'");
  }
}
