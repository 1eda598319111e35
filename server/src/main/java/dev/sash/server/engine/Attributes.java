package dev.sash.server.engine;

import dev.sash.address.IpAddress;
import dev.sash.config.policy.Cost;
import dev.sash.config.policy.PolicyConfig;
import dev.sash.key.Keys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What attributes mean. */
public final class Attributes {
  /** The client's address. */
  public static final String IP = "ip";

  /** A secret that identifies the client; only its hash becomes part of keys. */
  public static final String API_KEY = "apikey";

  /** Such a secret in a header field of that name: {@code apikey:authorization}. */
  public static final String API_KEY_IN = "apikey:";

  private static final int MAX_DIGITS = 10;

  private Attributes() {}

  /** The client's address, if it is known. */
  static @Nullable IpAddress address(Map<String, String> attributes) {
    String text = attributes.get(IP);
    if (text == null) {
      return null;
    }
    try {
      return IpAddress.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("attribute 'ip' must be an IP address", e);
    }
  }

  /** The key that a policy makes of attributes. */
  static String key(PolicyConfig config, Map<String, String> attributes) {
    List<String> names = config.keyAttributes();
    if (names.isEmpty()) {
      throw new IllegalArgumentException(
          "key must be given: policy '" + config.name() + "' does not say what makes it");
    }
    List<String> parts = new ArrayList<>(names.size());
    for (String name : names) {
      String value = attributes.get(name);
      if (value == null || value.isEmpty()) {
        throw new IllegalArgumentException(
            "attribute '"
                + name
                + "' must be given, or else a key: policy '"
                + config.name()
                + "' is by "
                + String.join(" and ", names));
      }
      parts.add(part(name, value, attributes));
    }
    return Keys.joined(parts);
  }

  private static String part(String name, String value, Map<String, String> attributes) {
    if (name.equals(API_KEY) || name.startsWith(API_KEY_IN)) {
      return Keys.ofApiKey(value);
    }
    IpAddress address = name.equals(IP) ? address(attributes) : null;
    return address == null ? name + ":" + value : Keys.ofAddress(address);
  }

  /** Returns the cost that an attribute tells: at least 1, since nothing is free to a caller. */
  static long cost(Cost cost, String told) {
    boolean digits = !told.isEmpty() && told.chars().allMatch(c -> c >= '0' && c <= '9');
    if (!digits || told.length() > MAX_DIGITS) {
      throw new IllegalArgumentException(
          "attribute '" + cost.attribute() + "' must be a whole number of at most 10 digits");
    }
    return Math.max(1, Math.min(cost.most(), Long.parseLong(told)));
  }
}
