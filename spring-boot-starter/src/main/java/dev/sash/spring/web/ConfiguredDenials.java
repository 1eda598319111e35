package dev.sash.spring.web;

import dev.sash.http.Denial;
import dev.sash.http.Denial.Reason;
import dev.sash.http.DenialFormat;
import dev.sash.http.DenialResponse;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.config.SashProperties;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Writes responses to denied requests as {@code sash.web.denial} says. */
public final class ConfiguredDenials implements DenialFormat {
  private static final String PREFIX = "sash.web.denial.";
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z-]+)}");
  private static final String NAMES =
      "{status}, {title}, {type}, {detail}, {policies}, {retry-after}";

  private final SashProperties.Denial denial;

  /**
   * Returns the format to use.
   *
   * @param denial what is configured
   * @param bean the application's own format; null if it has none
   * @return the bean, or what is configured
   * @throws BadConfigurationException if a value is out of bounds, or both are there
   */
  public static DenialFormat of(SashProperties.Denial denial, @Nullable DenialFormat bean) {
    if (bean == null) {
      return new ConfiguredDenials(denial);
    }
    Map<String, @Nullable Object> configured = new LinkedHashMap<>();
    configured.put("status", denial.status());
    configured.put("title", denial.title());
    configured.put("type", denial.type());
    configured.put("template", denial.template());
    configured.forEach(
        (name, value) -> {
          if (value != null) {
            throw BadConfigurationException.property(
                PREFIX + name,
                "cannot be set beside a bean of type DenialFormat, which writes the response");
          }
        });
    return bean;
  }

  private ConfiguredDenials(SashProperties.Denial denial) {
    this.denial = denial;
    Integer status = denial.status();
    BadConfigurationException.check(
        PREFIX + "status",
        () -> new DenialResponse(status == null ? 429 : status, "text/plain", ""));
    BadConfigurationException.check(
        PREFIX + "content-type", () -> new DenialResponse(429, denial.contentType(), ""));
    String template = denial.template();
    if (template != null) {
      Matcher names = PLACEHOLDER.matcher(template);
      while (names.find()) {
        if (!NAMES.contains(names.group())) {
          throw BadConfigurationException.property(
              PREFIX + "template", "may contain " + NAMES + ", was " + names.group());
        }
      }
    }
  }

  @Override
  public DenialResponse responseTo(Denial denied) {
    Reason reason = denied.reason();
    boolean isOverLimit = reason == Reason.QUOTA_EXCEEDED;
    Integer ownStatus = denial.status();
    int status = isOverLimit && ownStatus != null ? ownStatus : reason.status();
    String type = isOverLimit ? orElse(denial.type(), reason.type()) : reason.type();
    String title = isOverLimit ? orElse(denial.title(), reason.title()) : reason.title();
    String template = denial.template();
    if (template == null) {
      return denied.standard(status, type, title);
    }
    Map<String, String> values =
        Map.of(
            "status", Integer.toString(status),
            "title", title,
            "type", type,
            "detail", denied.detail(),
            "policies", String.join(", ", denied.violated()),
            "retry-after", Long.toString(denied.retryAfterSeconds()));
    String body =
        PLACEHOLDER
            .matcher(template)
            .replaceAll(name -> Matcher.quoteReplacement(values.getOrDefault(name.group(1), "")));
    return new DenialResponse(status, denial.contentType(), body);
  }

  private static String orElse(@Nullable String configured, String standard) {
    return configured == null ? standard : configured;
  }
}
