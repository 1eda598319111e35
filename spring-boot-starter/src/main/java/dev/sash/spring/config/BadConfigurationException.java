package dev.sash.spring.config;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Something is configured that cannot be: the application does not start. */
public final class BadConfigurationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String property;
  private final String reason;

  private BadConfigurationException(@Nullable String property, String subject, String reason) {
    super(subject + ": " + reason);
    this.property = property;
    this.reason = reason;
  }

  /**
   * A property is wrong.
   *
   * @param property its name
   * @param reason what is wrong, and what it must be; without secrets
   * @return the exception
   */
  public static BadConfigurationException property(String property, @Nullable String reason) {
    return new BadConfigurationException(property, property, String.valueOf(reason));
  }

  /**
   * Does something with the value of a property.
   *
   * @param property its name
   * @param step complains by an IllegalArgumentException
   * @param <T> what comes of it
   * @return what comes of it
   * @throws BadConfigurationException if the step complains
   */
  public static <T> T check(String property, Supplier<T> step) {
    try {
      return step.get();
    } catch (IllegalArgumentException e) {
      throw property(property, e.getMessage());
    }
  }

  /**
   * An annotation is wrong.
   *
   * @param annotated the method
   * @param reason what is wrong, and what it must be
   * @return the exception
   */
  public static BadConfigurationException annotation(String annotated, String reason) {
    return new BadConfigurationException(null, "@RateLimit on " + annotated, reason);
  }

  /**
   * Which property is wrong.
   *
   * @return its name; null if it is not a property
   */
  public @Nullable String property() {
    return property;
  }

  /**
   * What is wrong.
   *
   * @return the reason alone
   */
  public String reason() {
    return reason;
  }
}
