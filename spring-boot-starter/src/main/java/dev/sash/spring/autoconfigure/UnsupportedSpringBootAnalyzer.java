package dev.sash.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains at the end of a failed start that Spring Boot is too old. */
final class UnsupportedSpringBootAnalyzer
    extends AbstractFailureAnalyzer<UnsupportedSpringBootException> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, UnsupportedSpringBootException cause) {
    return new FailureAnalysis(
        cause.getMessage(),
        "Upgrade Spring Boot, or remove sash-spring-boot-starter and use sash-servlet, which does"
            + " not depend on Spring.",
        cause);
  }
}
