package dev.sash.spring.config;

import dev.sash.Algorithm;
import dev.sash.Limit;
import java.time.Duration;
import java.util.Map;

/** The limit that the older names configure. */
final class LegacyLimit {
  private static final Map<String, Algorithm> ALGORITHMS =
      Map.of(
          "sliding-window-algo", Algorithm.SLIDING_LOG,
          "fixed-window-algo", Algorithm.FIXED_WINDOW);

  private LegacyLimit() {}

  static Limit of(LegacyProperties legacy) {
    Duration window = legacy.windowSize();
    Long permits = legacy.maxRequests();
    if (window == null) {
      throw bad("window-size", "must be set too: the window in seconds");
    }
    if (permits == null) {
      throw bad("max-requests", "must be set too: the permits per window");
    }
    String name = legacy.useAlgo();
    Algorithm algorithm = name == null ? Algorithm.SLIDING_LOG : ALGORITHMS.get(name);
    if (algorithm == null) {
      throw bad("use-algo", "must be sliding-window-algo or fixed-window-algo, was '" + name + "'");
    }
    Limit one =
        BadConfigurationException.check(property("window-size"), () -> Limit.slidingLog(1, window));
    return BadConfigurationException.check(
        property("max-requests"), () -> Limit.of(algorithm, permits, one.window()));
  }

  private static String property(String name) {
    return LegacyProperties.PREFIX + "." + name;
  }

  private static BadConfigurationException bad(String name, String reason) {
    return BadConfigurationException.property(property(name), reason);
  }
}
