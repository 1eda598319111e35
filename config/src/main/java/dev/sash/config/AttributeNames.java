package dev.sash.config;

import dev.sash.config.internal.Setting;
import dev.sash.config.internal.Suggestion;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads names of attributes. */
final class AttributeNames {
  private static final Pattern NAME = Pattern.compile("[a-z0-9._:-]{1,64}");
  private static final String ALLOWED = "1 to 64 of a-z 0-9 . _ : - such as ip or header:x-api-key";

  private static final int MOST = 16;

  private AttributeNames() {}

  static @Nullable String one(Setting setting) {
    String name = setting.text("an attribute: " + ALLOWED);
    if (name == null || NAME.matcher(name).matches()) {
      return name;
    }
    List<String> lowerCase = List.of(name.toLowerCase(Locale.ROOT));
    boolean helps = NAME.matcher(lowerCase.get(0)).matches();
    setting.bad(
        "must be an attribute: "
            + ALLOWED
            + ", was "
            + Setting.quoted(name)
            + (helps ? Suggestion.after(name, lowerCase) : ""));
    return null;
  }

  static List<String> oneOrMore(Setting setting) {
    List<String> names = new ArrayList<>();
    List<Setting> elements = setting.oneOrMore();
    if (elements.size() > MOST) {
      setting.bad("must have at most " + MOST + " attributes, has " + elements.size());
      return names;
    }
    for (Setting element : elements) {
      String name = one(element);
      if (name != null && names.contains(name)) {
        element.bad("must not have an attribute twice, has " + Setting.quoted(name));
      } else if (name != null) {
        names.add(name);
      }
    }
    return names;
  }
}
