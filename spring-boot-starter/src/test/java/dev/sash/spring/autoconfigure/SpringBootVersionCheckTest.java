package dev.sash.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootVersion;

/** Which versions of Spring Boot are accepted. */
class SpringBootVersionCheckTest {
  @ParameterizedTest
  @ValueSource(strings = {"3.5.16", "3.0.0-M1", "2.7.18", "3"})
  void versionsBeforeFourEndTheStart(String version) {
    assertThatThrownBy(() -> SpringBootVersionCheck.check(version))
        .isInstanceOf(UnsupportedSpringBootException.class)
        .hasMessage("sash-spring-boot-starter needs Spring Boot 4.0 or newer, found " + version);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"4.0.0", "4.0.0-M1", "4.1.0", "10.2.1", "", "custom", "99999999999.0"})
  void otherVersionsAreAccepted(String version) {
    assertThatCode(() -> SpringBootVersionCheck.check(version)).doesNotThrowAnyException();
  }

  @Test
  void theVersionOfTheseTestsIsAccepted() {
    assertThatCode(() -> SpringBootVersionCheck.check(SpringBootVersion.getVersion()))
        .doesNotThrowAnyException();
  }
}
