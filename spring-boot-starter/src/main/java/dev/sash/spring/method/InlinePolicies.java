package dev.sash.spring.method;

import dev.sash.Limit;
import dev.sash.LimiterRegistry;
import dev.sash.Policy;
import dev.sash.spring.RateLimit;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.ConfiguredPolicy;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The policies of annotations that have limits of their own. */
final class InlinePolicies {
  private InlinePolicies() {}

  /**
   * Returns the policy of an annotation.
   *
   * @param wrong makes the exception for a mistake
   * @return null if the annotation names a policy
   */
  static @Nullable Policy of(
      Method method, RateLimit annotation, Function<String, BadConfigurationException> wrong) {
    boolean hasName = !annotation.value().isBlank();
    if (hasName == (annotation.limits().length > 0)) {
      throw wrong.apply(
          hasName
              ? "it names a policy and has limits: keep one of them"
              : "it must name a policy or have limits");
    }
    if (hasName) {
      return null;
    }
    // The same in every instance, since it names the state in a shared store.
    String name = method.getDeclaringClass().getSimpleName() + "." + method.getName();
    try {
      List<Limit> limits = Arrays.stream(annotation.limits()).map(Limit::parse).toList();
      return Policy.named(name).withLimits(limits);
    } catch (IllegalArgumentException e) {
      throw wrong.apply("limits cannot be used: " + e.getMessage());
    }
  }

  /** Adds the policy of an annotation to those of the application, unless it is there. */
  static void register(MethodLimit limit, ConfiguredPolicies policies, LimiterRegistry limiters) {
    Policy inline = limit.inline();
    if (inline == null) {
      return;
    }
    ConfiguredPolicy known = policies.addInline(inline);
    if (!known.policy().limits().equals(inline.limits())) {
      throw limit.wrong(
          "there is another policy '"
              + inline.name()
              + "', which is the name of its limits: name a policy instead");
    }
    synchronized (limiters) {
      if (!limiters.names().contains(inline.name())) {
        var unused = limiters.put(inline);
      }
    }
  }
}
