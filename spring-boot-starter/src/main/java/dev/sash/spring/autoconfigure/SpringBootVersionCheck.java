package dev.sash.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Ends the start under a Spring Boot before 4.0. There, the classes that the starter looks for have
 * other names: limits would work partly, but not be shared through Redis, and health and meters
 * would be missing without a message.
 *
 * <p>Runs before the auto-configurations, and links only what has the same name in Spring Boot 3.
 */
final class SpringBootVersionCheck
    implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {
  private static final int OLDEST_MAJOR = 4;

  @Override
  public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
    check(SpringBootVersion.getVersion());
  }

  /** A version that is not known or not a number is accepted: it may be a build of one's own. */
  static void check(@Nullable String version) {
    if (version == null) {
      return;
    }
    int dot = version.indexOf('.');
    String major = dot < 0 ? version : version.substring(0, dot);
    if (major.matches("[0-9]{1,4}") && Integer.parseInt(major) < OLDEST_MAJOR) {
      throw new UnsupportedSpringBootException(version);
    }
  }
}
