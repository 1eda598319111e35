package dev.sash.key;

import dev.sash.address.IpAddress;
import dev.sash.internal.Bounds;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Builds the keys under which limiters count, in the same form at every edge (HTTP, gRPC, the
 * server), so that one caller has the same key everywhere and two callers never share one.
 *
 * <p>A key is a prefix, a colon and a value, such as {@code user:ann}. Several keys become one in
 * parentheses: {@code (user:ann|ip:192.0.2.1)}. A key that is too long for a limiter is replaced by
 * {@code sha256:} and its hash.
 */
public final class Keys {
  private static final String LONG_KEY = "sha256";
  private static final String ADDRESS = "ip:";
  private static final int IPV4_BITS = 32;

  /** A client with one IPv6 address commonly has all of its /64 network. */
  private static final int IPV6_BITS = 64;

  private Keys() {}

  /**
   * Returns the prefix after checking that it can stand in front of a value.
   *
   * @param prefix 1 to 32 lower-case letters, digits and hyphens, the first a letter; not {@code
   *     sha256}, with which the keys of {@link #fitting} begin
   * @return the prefix
   * @throws IllegalArgumentException if the prefix is anything else
   */
  public static String checkedPrefix(String prefix) {
    Objects.requireNonNull(prefix, "prefix must not be null");
    if (!prefix.matches("[a-z][a-z0-9-]{0,31}") || prefix.equals(LONG_KEY)) {
      throw new IllegalArgumentException(
          "prefix must be 1 to 32 lower-case letters, digits and hyphens, the first a letter, and"
              + " not '"
              + LONG_KEY
              + "', was '"
              + prefix
              + "'");
    }
    return prefix;
  }

  /**
   * Returns a name with its colons and backslashes escaped, so that {@code name:value} can be split
   * in only one way.
   *
   * @param name the name, of any characters
   * @return the escaped name
   */
  public static String escapedName(String name) {
    return name.replace("\\", "\\\\").replace(":", "\\:");
  }

  /**
   * Returns the key of a client's address: {@code ip:} and the IPv4 address, or the /64 network of
   * the IPv6 address, such as {@code ip:2001:db8:1:2::/64}.
   *
   * @param address the address; null if the client has none, as on a Unix socket
   * @return the key; {@code ip:unknown} if there is no address
   */
  public static String ofAddress(@Nullable IpAddress address) {
    return ofAddress(address, IPV4_BITS, IPV6_BITS);
  }

  /**
   * Returns the key of the network in which a client's address lies.
   *
   * @param address the address; null if the client has none, as on a Unix socket
   * @param ipv4Bits the prefix length of IPv4 networks, 0 to 32
   * @param ipv6Bits the prefix length of IPv6 networks, 0 to 128
   * @return {@code ip:} and the network, or the address itself if all of its bits count; {@code
   *     ip:unknown} if there is no address
   */
  public static String ofAddress(@Nullable IpAddress address, int ipv4Bits, int ipv6Bits) {
    if (address == null) {
      return ADDRESS + "unknown";
    }
    int bits = address.isIpv6() ? ipv6Bits : ipv4Bits;
    return bits == address.bits()
        ? ADDRESS + address
        : ADDRESS + address.network(bits) + "/" + bits;
  }

  /**
   * Returns the key of an API key, for example to reset it or to put it on a list. The secret
   * cannot be read from the key.
   *
   * @param value the whole value that the client sends, for example {@code Bearer abc}
   * @return {@code apikey:} and the {@link #sha256} of the value
   */
  public static String ofApiKey(String value) {
    return "apikey:" + sha256(value);
  }

  /**
   * Returns several keys as one. Two results are equal only if all of their parts are. The result
   * may be too long for a limiter; see {@link #joined}.
   *
   * @param parts the keys
   * @return the escaped keys in parentheses, with which no other key begins
   */
  public static String combined(List<String> parts) {
    StringBuilder key = new StringBuilder("(");
    for (int i = 0; i < parts.size(); i++) {
      key.append(i == 0 ? "" : "|");
      key.append(parts.get(i).replace("\\", "\\\\").replace("|", "\\|"));
    }
    return key.append(')').toString();
  }

  /**
   * Returns one or more keys as one key that a limiter accepts.
   *
   * @param parts the keys; a single one is not changed unless it is too long
   * @return the key, {@link #combined} if there are several parts, and {@link #fitting}
   */
  public static String joined(List<String> parts) {
    return fitting(parts.size() == 1 ? parts.get(0) : combined(parts));
  }

  /**
   * Returns the key itself, or its hash if it is too long for a limiter.
   *
   * @param key the key
   * @return the key, or {@code sha256:} and the {@link #sha256} of the key
   */
  public static String fitting(String key) {
    return Bounds.isTooLong(key) ? LONG_KEY + ":" + sha256(key) : key;
  }

  /**
   * Returns the SHA-256 of a text.
   *
   * @param text the text, of which the UTF-8 is hashed
   * @return 43 characters of URL-safe Base64
   */
  public static String sha256(String text) {
    try {
      return base64(MessageDigest.getInstance("SHA-256").digest(utf8(text)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * Returns the HMAC-SHA-256 of a text. Unlike with {@link #sha256}, a reader of the result cannot
   * find the text by trying likely ones.
   *
   * @param secret the secret, 1 byte or more
   * @param text the text, of which the UTF-8 is hashed
   * @return 43 characters of URL-safe Base64
   */
  public static String hmacSha256(byte[] secret, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      return base64(mac.doFinal(utf8(text)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
