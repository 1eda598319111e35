package dev.sash.spring.method;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;

/** Reads the roles of callers from Spring Security, where there is one. */
public final class CallerRoles {
  private static final String PREFIX = "ROLE_";
  private static final boolean SECURITY =
      ClassUtils.isPresent(
          "org.springframework.security.core.context.SecurityContextHolder",
          CallerRoles.class.getClassLoader());

  private CallerRoles() {}

  /** Returns the roles of the caller on this thread. */
  static Predicate<String> ofThisThread() {
    return SECURITY ? role -> Security.ofThisThread(role) : role -> false;
  }

  /**
   * Returns the roles of an authenticated user.
   *
   * @param principal the user; null if nobody is authenticated
   * @return finds out whether the user has a role
   */
  public static Predicate<String> of(@Nullable Object principal) {
    return SECURITY ? role -> Security.has(principal, role) : role -> false;
  }

  /** Linked only if Spring Security is there. */
  private static final class Security {
    static boolean ofThisThread(String role) {
      return has(SecurityContextHolder.getContext().getAuthentication(), role);
    }

    static boolean has(@Nullable Object principal, String role) {
      String authority = role.startsWith(PREFIX) ? role : PREFIX + role;
      return principal instanceof Authentication authentication
          && authentication.isAuthenticated()
          && authentication.getAuthorities().stream()
              .anyMatch(granted -> authority.equals(granted.getAuthority()));
    }
  }
}
