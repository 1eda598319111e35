package dev.sash.config;

import dev.sash.Algorithm;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.config.internal.MappingFields;
import dev.sash.config.internal.Setting;
import dev.sash.config.policy.PolicyConfig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the older form, which is the limit of the policy {@code default}. */
final class OlderForm {
  private static final Map<String, Algorithm> ALGORITHMS = algorithms();
  private static final long LONGEST_SECONDS = Duration.ofDays(366).toSeconds();

  private OlderForm() {}

  private static Map<String, Algorithm> algorithms() {
    Map<String, Algorithm> algorithms = new LinkedHashMap<>();
    algorithms.put("sliding-window-algo", Algorithm.SLIDING_LOG);
    algorithms.put("fixed-window-algo", Algorithm.FIXED_WINDOW);
    return algorithms;
  }

  static void read(Setting root, Draft draft) {
    MappingFields top = root.fields(Names.OLDER.all());
    Setting limiter = top == null ? null : top.get("rate-limiter");
    MappingFields fields = limiter == null ? null : limiter.fields(Names.OLDER_LIMIT.all());
    if (limiter == null || fields == null) {
      return;
    }
    Algorithm algorithm =
        fields.optional("use-algo", s -> s.oneOf(ALGORITHMS), Algorithm.SLIDING_LOG);
    Duration window = fields.required("window-size", OlderForm::window);
    Long permits = fields.required("max-requests", s -> s.number(1, Limits.MOST_PERMITS));
    if (window != null && permits != null) {
      Policy policy = Policy.of("default", Limit.of(algorithm, permits, window));
      draft.policy(limiter, PolicyConfig.of(policy));
    }
  }

  private static @Nullable Duration window(Setting setting) {
    Long seconds = setting.number(1, LONGEST_SECONDS);
    return seconds == null ? null : Duration.ofSeconds(seconds);
  }
}
