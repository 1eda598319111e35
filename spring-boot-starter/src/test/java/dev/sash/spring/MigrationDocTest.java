package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.LimiterRegistry;
import dev.sash.spring.autoconfigure.SashAutoConfiguration;
import dev.sash.spring.autoconfigure.SashMethodAutoConfiguration;
import dev.sash.spring.autoconfigure.SashWebAutoConfiguration;
import dev.sash.testkit.PageExamples;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** The examples with Sash in docs/spring-migration.md. */
class MigrationDocTest {
  private static final Path PAGE = Path.of("..", "docs", "spring-migration.md");
  private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

  /** The roots of what the page migrates from. */
  private static final Pattern BEFORE =
      Pattern.compile("^(bucket4j|resilience4j\\.ratelimiter|spring):\n");

  /** Limits in the tables. */
  private static final Pattern LIMITS =
      Pattern.compile("`(?:limits: )?([0-9_]+/[0-9]*(?:ms|s|m|h|d)\\b[^`]*)`");

  private static final Pattern POLICY =
      Pattern.compile("(?:@RateLimit\\(|limiters\\.get\\()\"(\\w+)\"");

  private static final Pattern PROPERTY = Pattern.compile("`(sash\\.[a-z.-]+[a-z])`");

  @TempDir Path folder;

  static List<String> after() throws Exception {
    List<String> blocks =
        YAML.matcher(Files.readString(PAGE)).results().map(block -> block.group(1)).toList();
    List<String> after = blocks.stream().filter(yaml -> yaml.startsWith("sash:\n")).toList();
    List<String> before = blocks.stream().filter(yaml -> BEFORE.matcher(yaml).find()).toList();
    assertThat(after).hasSize(4);
    assertThat(before).hasSize(3);
    assertThat(blocks).as("either before or after").hasSize(7);
    return after;
  }

  private static WebApplicationContextRunner starter(String yaml) throws Exception {
    List<PropertySource<?>> sources =
        new YamlPropertySourceLoader()
            .load("page", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
    return new WebApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                SashAutoConfiguration.class,
                SashWebAutoConfiguration.class,
                SashMethodAutoConfiguration.class))
        .withInitializer(
            context -> sources.forEach(context.getEnvironment().getPropertySources()::addFirst));
  }

  @ParameterizedTest
  @MethodSource("after")
  void theStarterAcceptsTheConfiguration(String yaml) throws Exception {
    starter(yaml).run(context -> assertThat(context).as(yaml).hasNotFailed());
  }

  @Test
  void theClassesCompileAndTheirPoliciesAreOnThePage() throws Exception {
    PageExamples examples = new PageExamples(PAGE, folder);
    List<String> after =
        examples.sources().stream().filter(source -> source.contains("import dev.sash.")).toList();
    assertThat(after).hasSize(2);
    Set<String> used = new TreeSet<>();
    for (String source : after) {
      examples.compile(source);
      POLICY.matcher(source).results().forEach(match -> used.add(match.group(1)));
    }

    Set<String> defined = new TreeSet<>();
    for (String yaml : after()) {
      starter(yaml).run(context -> defined.addAll(context.getBean(LimiterRegistry.class).names()));
    }
    assertThat(used).containsExactly("export", "mail", "partner");
    assertThat(defined).containsAll(used);
  }

  @Test
  void theStarterAcceptsTheLimitsInTheTables() throws Exception {
    Set<String> limits =
        LIMITS
            .matcher(Files.readString(PAGE))
            .results()
            .map((MatchResult match) -> match.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(limits).hasSizeGreaterThan(6);
    for (String limit : limits) {
      starter("sash:\n  policies:\n    some:\n      limits: \"" + limit + "\"\n")
          .run(context -> assertThat(context).as(limit).hasNotFailed());
    }
  }

  @Test
  void thePropertiesInTheTablesExist() throws Exception {
    String documented = Page.text();
    Set<String> names =
        PROPERTY
            .matcher(Files.readString(PAGE))
            .results()
            .map((MatchResult match) -> match.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(names).hasSizeGreaterThan(6);
    // SpringDocTest compares that page with the properties themselves.
    assertThat(names).allMatch(name -> documented.contains("`" + name + "`"));
  }
}
