package dev.sash.spring.method;

import java.util.function.Predicate;

/** The caller of a method, as the conditions of annotations see it. */
public final class Caller {
  private final Predicate<String> roles;

  Caller(Predicate<String> roles) {
    this.roles = roles;
  }

  /**
   * Returns whether the caller has a role.
   *
   * @param role with or without {@code ROLE_}
   * @return false if nobody is authenticated
   */
  public boolean hasRole(String role) {
    return roles.test(role);
  }
}
