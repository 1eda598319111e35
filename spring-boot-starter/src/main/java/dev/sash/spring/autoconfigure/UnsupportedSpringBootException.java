package dev.sash.spring.autoconfigure;

/** Thrown at the start of an application whose Spring Boot is too old for the starter. */
final class UnsupportedSpringBootException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnsupportedSpringBootException(String found) {
    super("sash-spring-boot-starter needs Spring Boot 4.0 or newer, found " + found);
  }
}
