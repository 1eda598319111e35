package dev.sash.spring.config;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;

/** Tells at the end of a failed start which property is wrong, where it stands, and why. */
final class BadConfigurationAnalyzer extends AbstractFailureAnalyzer<BadConfigurationException> {
  private final Environment environment;

  BadConfigurationAnalyzer(Environment environment) {
    this.environment = environment;
  }

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, BadConfigurationException cause) {
    String property = cause.property();
    if (property == null) {
      return new FailureAnalysis(
          cause.getMessage(), "Correct the annotation or add what it needs.", cause);
    }
    Origin origin = originOf(property);
    String description =
        "Rate limits cannot be configured:%n%n    Property: %s%n%s    Reason: %s"
            .formatted(
                property,
                origin == null ? "" : "    Origin: %s%n".formatted(origin),
                cause.reason());
    return new FailureAnalysis(description, "Update your application's configuration.", cause);
  }

  /** Of the property, or of the first of several values. */
  private @Nullable Origin originOf(String property) {
    for (String candidate : new String[] {property, property + "[0]"}) {
      ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(candidate);
      for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
        ConfigurationProperty found = name == null ? null : source.getConfigurationProperty(name);
        if (found != null) {
          return found.getOrigin();
        }
      }
    }
    return null;
  }
}
