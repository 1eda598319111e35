package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.client.OutgoingLimiter;
import dev.sash.spring.autoconfigure.SashAutoConfiguration;
import dev.sash.spring.autoconfigure.SashClientAutoConfiguration;
import dev.sash.testkit.PageExamples;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** What docs/outgoing.md says about Spring. */
class OutgoingDocTest {
  private static final Path PAGE = Path.of("..", "docs", "outgoing.md");

  @TempDir Path folder;

  @Test
  void theConfigurationIsAcceptedAndIsTheSameInBothForms() throws Exception {
    Map<String, String> expected = new TreeMap<>();
    Properties properties = new Properties();
    properties.load(new StringReader(block("properties")));
    properties.forEach((name, value) -> expected.put((String) name, (String) value));
    PropertySource<?> yaml =
        new YamlPropertySourceLoader()
            .load("page", new ByteArrayResource(block("yaml").getBytes(StandardCharsets.UTF_8)))
            .get(0);
    Map<String, String> found = new TreeMap<>();
    for (String name : ((EnumerablePropertySource<?>) yaml).getPropertyNames()) {
      found.put(name, String.valueOf(yaml.getProperty(name)));
    }
    assertThat(found).isEqualTo(expected);

    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(SashAutoConfiguration.class, SashClientAutoConfiguration.class))
        .withInitializer(context -> context.getEnvironment().getPropertySources().addFirst(yaml))
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(OutgoingLimiter.class)
                    .hasSingleBean(RestClientCustomizer.class));
  }

  @Test
  void theClassCompiles() throws Exception {
    PageExamples examples = new PageExamples(PAGE, folder);
    String source =
        examples.sources().stream()
            .filter(s -> s.contains("org.springframework"))
            .findFirst()
            .orElseThrow();
    assertThat(examples.compile(source)).isEqualTo("Clients");
  }

  private static String block(String language) throws Exception {
    Matcher block =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(PAGE));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }
}
