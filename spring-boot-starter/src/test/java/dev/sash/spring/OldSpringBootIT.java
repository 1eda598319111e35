package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real Spring Boot 3.5, for which the starter is not made. */
@Timeout(120)
class OldSpringBootIT {
  /** Jars of Spring Boot 3.5 and Spring 6.2; the build copies them there. */
  private static final Path JARS = Path.of("target", "boot-3.5");

  private static final Predicate<String> SPRING = Pattern.compile("/spring-[^/]*$").asPredicate();

  private static final Predicate<String> STARTER =
      Pattern.compile("/sash-spring-boot-starter-[^/]*$|/spring-boot-starter/target/classes$")
          .asPredicate();

  @TempDir Path folder;

  private OtherJvm.Result run(Predicate<String> absent) throws Exception {
    List<String> classPath = new ArrayList<>();
    try (Stream<Path> jars = Files.list(JARS)) {
      jars.sorted().map(jar -> jar.toAbsolutePath().toString()).forEach(classPath::add);
    }
    assertThat(classPath).anyMatch(jar -> jar.matches(".*spring-boot-3\\.5\\.\\d+\\.jar"));
    classPath.addAll(OtherJvm.classPathWithout(absent));
    return OtherJvm.run(folder, classPath, OldSpringBootApp.class);
  }

  @Test
  void endsTheStartAndSaysWhichVersionIsNeeded() throws Exception {
    OtherJvm.Result result = run(SPRING);

    assertThat(result.exitCode()).as(result.output()).isEqualTo(1);
    assertThat(result.output())
        .contains("APPLICATION FAILED TO START")
        .containsPattern(
            "sash-spring-boot-starter needs Spring Boot 4\\.0 or newer, found 3\\.5\\.\\d+")
        .contains("Upgrade Spring Boot")
        .doesNotContain("started with", "NoClassDefFoundError", "ClassNotFoundException");
  }

  @Test
  void theSameApplicationStartsWithoutTheStarter() throws Exception {
    OtherJvm.Result result = run(SPRING.or(STARTER));

    assertThat(result.exitCode()).as(result.output()).isZero();
    assertThat(result.output()).containsPattern("started with 3\\.5\\.\\d+");
  }
}
