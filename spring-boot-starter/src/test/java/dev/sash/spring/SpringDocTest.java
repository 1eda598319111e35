package dev.sash.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.spring.autoconfigure.SashAutoConfiguration;
import dev.sash.spring.autoconfigure.SashWebAutoConfiguration;
import dev.sash.spring.config.PolicyProperties;
import dev.sash.spring.config.TierProperties;
import java.io.InputStream;
import java.io.StringReader;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.io.ByteArrayResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** docs/spring.md tells of every property, and nothing in it is wrong. */
class SpringDocTest {
  private static final Pattern ROW =
      Pattern.compile("^\\| `(sash\\.[^`]+)` \\| (?:`([^`]*)`)? ?\\| (.*) \\|$", Pattern.MULTILINE);

  /** What an IDE reads: names with defaults and descriptions. */
  private static Map<String, List<String>> metadata() throws Exception {
    Map<String, List<String>> properties = new TreeMap<>();
    try (InputStream file =
        SashAutoConfiguration.class.getResourceAsStream(
            "/META-INF/spring-configuration-metadata.json")) {
      for (JsonNode property : JsonMapper.shared().readTree(file).get("properties")) {
        String name = property.get("name").asString();
        if (name.startsWith("sash.") && !property.get("type").asString().contains("Map<")) {
          properties.put(
              name,
              List.of(
                  property.path("defaultValue").asString(""),
                  property.get("description").asString()));
        }
      }
    }
    return properties;
  }

  @Test
  void theTableIsWhatAnIdeIsTold() throws Exception {
    Map<String, List<String>> expected = metadata();
    Map<String, List<String>> told = new TreeMap<>();
    Map<String, String> toldOfMaps = new TreeMap<>();
    Matcher row = ROW.matcher(Page.text());
    while (row.find()) {
      String fallback = row.group(2) == null ? "" : row.group(2);
      if (row.group(1).contains("<name>")) {
        toldOfMaps.put(row.group(1), fallback);
      } else {
        told.put(row.group(1), List.of(fallback, row.group(3)));
      }
    }

    assertThat(told).isEqualTo(expected);
    // An IDE looks into the classes of maps itself.
    Map<String, String> maps = new TreeMap<>();
    addComponents(maps, "sash.policies.<name>.", PolicyProperties.class);
    addComponents(maps, "sash.tiers.<name>.", TierProperties.class);
    assertThat(toldOfMaps).isEqualTo(maps);
  }

  private static void addComponents(Map<String, String> maps, String prefix, Class<?> type) {
    var parameters = type.getDeclaredConstructors()[0].getParameters();
    RecordComponent[] components = type.getRecordComponents();
    for (int i = 0; i < components.length; i++) {
      Name name = parameters[i].getAnnotation(Name.class);
      DefaultValue fallback = parameters[i].getAnnotation(DefaultValue.class);
      maps.put(
          prefix + (name == null ? dashed(components[i].getName()) : name.value()),
          fallback == null ? "" : String.join(",", fallback.value()));
    }
  }

  private static String dashed(String name) {
    String dashed = name.replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT);
    assertThat(ConfigurationPropertyName.isValid(dashed)).isTrue();
    return dashed;
  }

  @Test
  void everyConfigurationOnThePageIsAccepted() throws Exception {
    List<String> blocks = Page.blocks("yaml");
    assertThat(blocks).hasSizeGreaterThan(6);
    for (String yaml : blocks) {
      List<org.springframework.core.env.PropertySource<?>> sources =
          new YamlPropertySourceLoader()
              .load("page", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
      new WebApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SashAutoConfiguration.class,
                  SashWebAutoConfiguration.class,
                  dev.sash.spring.autoconfigure.SashMethodAutoConfiguration.class))
          .withInitializer(
              context -> sources.forEach(context.getEnvironment().getPropertySources()::addFirst))
          .run(context -> assertThat(context).as(yaml).hasNotFailed());
    }
  }

  private static final Pattern YAML = Pattern.compile("^```yaml\n([^`]*)^```\n", Pattern.MULTILINE);
  private static final Pattern PROPERTIES =
      Pattern.compile("[^`#]*```properties\n([^`]*)^```", Pattern.MULTILINE);

  @ParameterizedTest
  @ValueSource(strings = {"spring.md", "gateway.md", "outgoing.md", "spring-migration.md"})
  void everyConfigurationOfOursStandsBesideItsProperties(String page) throws Exception {
    String text = Files.readString(Path.of("..", "docs", page));
    Matcher yaml = YAML.matcher(text);
    int pairs = 0;
    while (yaml.find()) {
      if (yaml.group(1).contains("sash")) {
        Matcher beside = PROPERTIES.matcher(text).region(yaml.end(), text.length());
        assertThat(beside.lookingAt()).as(yaml.group(1)).isTrue();
        Properties told = new Properties();
        told.load(new StringReader(beside.group(1)));
        assertThat(new TreeMap<>(told)).isEqualTo(properties(yaml.group(1)));
        pairs++;
      }
    }
    assertThat(pairs).isPositive();
  }

  private static Map<Object, Object> properties(String yaml) {
    YamlPropertiesFactoryBean reader = new YamlPropertiesFactoryBean();
    reader.setResources(new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
    Map<Object, Object> properties = new TreeMap<>();
    requireNonNull(reader.getObject())
        .forEach((name, value) -> properties.put(name, value.toString()));
    return properties;
  }
}
