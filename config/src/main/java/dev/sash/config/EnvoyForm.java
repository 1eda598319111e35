package dev.sash.config;

import dev.sash.config.envoy.EnvoyDescriptor;
import dev.sash.config.envoy.EnvoyDomain;
import dev.sash.config.envoy.EnvoyLimit;
import dev.sash.config.envoy.EnvoyOption;
import dev.sash.config.envoy.EnvoyUnit;
import dev.sash.config.internal.MappingFields;
import dev.sash.config.internal.Setting;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file of envoyproxy/ratelimit. Where that service takes a name in a wrong place, or a
 * limit without a number, and goes on without it, this says so.
 */
final class EnvoyForm {
  private static final Map<String, EnvoyUnit> UNITS =
      Setting.choices(EnvoyUnit.values(), Setting::idOf);

  /** That service reads YAML 1.1, where these are all the same. */
  private static final Map<String, Boolean> FLAGS = flags();

  static final Pattern NOT_EMPTY = Pattern.compile(".+", Pattern.DOTALL);

  /** It is sent with every answer. */
  private static final int MOST_METADATA = 16_384;

  private EnvoyForm() {}

  private static Map<String, Boolean> flags() {
    Map<String, Boolean> flags = new LinkedHashMap<>();
    for (String yes : List.of("true", "yes", "on")) {
      flags.put(yes, true);
    }
    for (String no : List.of("false", "no", "off")) {
      flags.put(no, false);
    }
    return flags;
  }

  static void read(Setting root, Draft draft) {
    MappingFields fields = root.fields(Names.ENVOY.all());
    if (fields == null) {
      return;
    }
    String name = fields.required("domain", s -> s.text("the name of a domain", NOT_EMPTY));
    List<EnvoyDescriptor> descriptors = descriptors(fields);
    Setting domain = fields.get("domain");
    if (name != null && domain != null && draft.claim("domain '" + name + "'", domain)) {
      draft.domain(new EnvoyDomain(name, descriptors));
    }
  }

  private static List<EnvoyDescriptor> descriptors(MappingFields fields) {
    Setting setting = fields.get("descriptors");
    if (setting == null || setting.isNothing()) {
      return List.of();
    }
    Map<String, String> places = new HashMap<>();
    List<EnvoyDescriptor> descriptors = new ArrayList<>();
    for (Setting element : setting.elements("descriptor")) {
      EnvoyDescriptor descriptor = descriptor(element);
      if (descriptor != null) {
        descriptors.add(descriptor);
        String before = places.putIfAbsent(idOf(descriptor), element.place());
        if (before != null) {
          element.bad("must not have the key and value of another, as the one at " + before);
        }
      }
    }
    return descriptors;
  }

  /** By which that service knows it: keys and values are joined, and may not meet. */
  private static String idOf(EnvoyDescriptor descriptor) {
    String value = descriptor.value();
    return value == null ? descriptor.key() : descriptor.key() + "_" + value;
  }

  private static @Nullable EnvoyDescriptor descriptor(Setting setting) {
    MappingFields fields = setting.fields(Names.ENVOY_DESCRIPTOR.all());
    if (fields == null) {
      return null;
    }
    String key = fields.required("key", s -> s.text("a text that is not empty", NOT_EMPTY));
    String value = fields.optional("value", EnvoyForm::textOrNothing, "");
    Setting limited = fields.get("rate_limit");
    EnvoyLimit limit = limited == null ? null : limit(limited);
    Set<EnvoyOption> options = EnumSet.noneOf(EnvoyOption.class);
    for (EnvoyOption option : EnvoyOption.values()) {
      if (isSet(fields, nameOf(option))) {
        options.add(option);
      }
    }
    Setting shared = fields.get(nameOf(EnvoyOption.SHARE_THRESHOLD));
    if (shared != null && options.contains(EnvoyOption.SHARE_THRESHOLD) && !value.contains("*")) {
      shared.badKey("share_threshold must stand beside a value with an asterisk");
    }
    Map<String, @Nullable Object> metadata =
        fields.optional("metadata", EnvoyForm::metadata, Map.of());
    List<EnvoyDescriptor> below = descriptors(fields);
    return key == null
        ? null
        : new EnvoyDescriptor(key, value.isEmpty() ? null : value, limit, options, metadata, below);
  }

  private static String nameOf(EnvoyOption option) {
    return option.name().toLowerCase(Locale.ROOT);
  }

  private static @Nullable String textOrNothing(Setting setting) {
    return setting.isNothing() ? "" : setting.text("a text");
  }

  private static boolean isSet(MappingFields fields, String name) {
    return fields.optional(name, s -> s.oneOfInAnyCase(FLAGS), false);
  }

  private static @Nullable Map<String, @Nullable Object> metadata(Setting setting) {
    if (setting.isNothing()) {
      return Map.of();
    }
    Map<String, @Nullable Object> metadata = setting.plainMapping();
    if (metadata != null && afterTaking(metadata, MOST_METADATA) < 0) {
      setting.bad("must not be longer than " + MOST_METADATA + " characters");
      return null;
    }
    return metadata;
  }

  /**
   * What is left of a number of characters; negative if it is not enough. Stops there: with aliases
   * a small file may stand for a text of any length.
   */
  private static int afterTaking(@Nullable Object value, int characters) {
    int left = characters - 1;
    if (value instanceof String text) {
      return left - text.length();
    }
    if (value instanceof List<?> list) {
      for (Object element : list) {
        left = left < 0 ? left : afterTaking(element, left);
      }
    } else if (value instanceof Map<?, ?> map) {
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        left = left < 0 ? left : afterTaking(entry.getValue(), afterTaking(entry.getKey(), left));
      }
    }
    return left;
  }

  private static @Nullable EnvoyLimit limit(Setting setting) {
    MappingFields fields = setting.fields(Names.ENVOY_LIMIT.all());
    if (fields == null) {
      return null;
    }
    String name = fields.optional("name", EnvoyForm::textOrNothing, "");
    List<String> replaces = fields.optional("replaces", s -> replaces(s, name), List.of());
    boolean unlimited = isSet(fields, "unlimited");
    EnvoyUnit unit = null;
    Long requests = 0L;
    if (unlimited) {
      Setting useless = fields.get("unit");
      if (useless != null) {
        useless.badKey("unit must not stand beside unlimited");
      }
    } else {
      unit = fields.required("unit", s -> s.oneOfInAnyCase(UNITS));
      requests = fields.required("requests_per_unit", s -> s.number(0, Limits.MOST_PERMITS));
      if (unit == null || requests == null) {
        return null;
      }
    }
    return new EnvoyLimit(requests, unit, unlimited, name.isEmpty() ? null : name, replaces);
  }

  private static List<String> replaces(Setting setting, String own) {
    List<String> names = new ArrayList<>();
    for (Setting element : setting.elements("replaces")) {
      MappingFields fields = element.fields(Names.ENVOY_REPLACED.all());
      String name =
          fields == null
              ? null
              : fields.required("name", s -> s.text("the name of another limit", NOT_EMPTY));
      if (name != null && name.equals(own)) {
        element.bad("must name another limit, not its own: " + Setting.quoted(name));
      } else if (name != null) {
        names.add(name);
      }
    }
    return names;
  }
}
