package dev.sash.http;

import dev.sash.key.Keys;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Who is asking: finds the key of a request. Stateless and thread-safe.
 *
 * <pre>{@code
 * KeyExtractor.clientAddress()                                   // ip:192.0.2.1, ip:2001:db8:1:2::/64
 * KeyExtractor.principal().orElse(KeyExtractor.clientAddress())  // user:ann, or the address
 * KeyExtractor.apiKey("X-Api-Key")                               // apikey:9rQ…, a hash
 * KeyExtractor.clientAddress().and(KeyExtractor.path())          // each address on each path
 * KeyExtractor.by("tenant", request -> tenantOf(request.header("Host")))
 * }</pre>
 *
 * <p>Each kind of key has a prefix of its own and combinations are escaped, so that different
 * callers never share a key. A key longer than a limiter takes becomes a hash.
 */
@FunctionalInterface
public interface KeyExtractor {
  /**
   * Finds the key.
   *
   * @param request the request
   * @return null or empty if the request has none
   */
  @Nullable String keyOf(IncomingRequest request);

  /**
   * The client's address: {@code ip:} and an IPv4 address, or the /64 network of an IPv6 address,
   * since who has one such address commonly has all of them; {@code ip:unknown} on connections that
   * have none.
   *
   * @return never finds nothing
   */
  static KeyExtractor clientAddress() {
    return clientAddress(32, 64);
  }

  /**
   * The client's network, of any size.
   *
   * @param ipv4Bits how many bits of an IPv4 address tell clients apart, 1 to 32
   * @param ipv6Bits how many bits of an IPv6 address do, 1 to 128
   * @return never finds nothing
   */
  static KeyExtractor clientAddress(int ipv4Bits, int ipv6Bits) {
    return new ClientAddressKey(ipv4Bits, ipv6Bits);
  }

  /**
   * Who was authenticated: {@code user:} and the name. Whatever authenticates must come before.
   *
   * @return finds nothing in anonymous requests
   */
  static KeyExtractor principal() {
    return by("user", IncomingRequest::principal);
  }

  /**
   * A secret in a header field: {@code apikey:} and its hash, as {@link Keys#ofApiKey} computes it.
   * The secret itself is not stored anywhere. Whoever invents secrets gets a fresh key each time:
   * check them before, or limit the address too.
   *
   * @param field the field's name, such as {@code X-Api-Key} or {@code Authorization}
   * @return finds nothing if the field is missing or empty
   */
  static KeyExtractor apiKey(String field) {
    HttpSyntax.checkedToken("field", field);
    return request -> {
      String value = request.header(field);
      return value == null || value.isEmpty() ? null : Keys.ofApiKey(value);
    };
  }

  /**
   * A header field in clear: {@code header:name:value}, the name in lower case.
   *
   * @param field the field's name
   * @return finds nothing if the field is missing or empty
   */
  static KeyExtractor header(String field) {
    String name = HttpSyntax.checkedToken("field", field).toLowerCase(Locale.ROOT);
    return named("header", name, request -> request.header(name));
  }

  /**
   * A parameter of the query: {@code query:name:value}.
   *
   * @param name the parameter's name
   * @return finds nothing if the parameter is missing or empty
   */
  static KeyExtractor queryParameter(String name) {
    Objects.requireNonNull(name, "name must not be null");
    return named("query", name, request -> request.queryParameter(name));
  }

  /**
   * A cookie: {@code cookie:name:value}. Often a session: consider {@link #hashed()}.
   *
   * @param name the cookie's name
   * @return finds nothing if the cookie is missing or empty
   */
  static KeyExtractor cookie(String name) {
    HttpSyntax.checkedToken("name", name);
    return named("cookie", name, request -> request.cookie(name));
  }

  /**
   * The path: {@code path:/users/7}. Clients choose it, so it alone makes as many keys as they
   * like.
   *
   * @return never finds nothing
   */
  static KeyExtractor path() {
    return by("path", IncomingRequest::path);
  }

  /**
   * The pattern by which the server chose the handler: {@code route:/users/{id}}.
   *
   * @return finds nothing where the server has not chosen yet
   */
  static KeyExtractor route() {
    return by("route", IncomingRequest::routeTemplate);
  }

  /**
   * The method: {@code method:GET}.
   *
   * @return never finds nothing
   */
  static KeyExtractor method() {
    return by("method", IncomingRequest::method);
  }

  /**
   * One key for all, for what everybody shares: {@code all:}.
   *
   * @return never finds nothing
   */
  static KeyExtractor everybody() {
    return request -> "all:";
  }

  /**
   * Anything else: {@code prefix:value}.
   *
   * @param prefix tells this kind of key from others: 1 to 32 lower-case letters, digits and
   *     hyphens
   * @param value finds the value; null or empty if there is none
   * @return the extractor
   */
  static KeyExtractor by(String prefix, Function<IncomingRequest, @Nullable String> value) {
    Objects.requireNonNull(value, "value must not be null");
    return beginningWith(Keys.checkedPrefix(prefix) + ":", value);
  }

  private static KeyExtractor named(
      String prefix, String name, Function<IncomingRequest, @Nullable String> value) {
    return beginningWith(prefix + ":" + Keys.escapedName(name) + ":", value);
  }

  private static KeyExtractor beginningWith(
      String start, Function<IncomingRequest, @Nullable String> value) {
    return request -> {
      String found = value.apply(request);
      return found == null || found.isEmpty() ? null : start + found;
    };
  }

  /**
   * Several keys as one, for example each user from each address: {@code (user:ann|ip:192.0.2.1)}.
   *
   * @param parts finds the parts
   * @return finds nothing if one of them finds nothing
   */
  static KeyExtractor all(KeyExtractor... parts) {
    List<KeyExtractor> extractors = List.of(parts);
    if (extractors.isEmpty()) {
      throw new IllegalArgumentException("parts must be 1 or more, were 0");
    }
    return request -> {
      List<String> keys = new ArrayList<>();
      for (KeyExtractor extractor : extractors) {
        String key = extractor.keyOf(request);
        if (key == null || key.isEmpty()) {
          return null;
        }
        keys.add(key);
      }
      return Keys.combined(keys);
    };
  }

  /**
   * Short for {@code all(this, other)}.
   *
   * @param other finds the second part
   * @return finds nothing if one of them finds nothing
   */
  default KeyExtractor and(KeyExtractor other) {
    return all(this, other);
  }

  /**
   * This key, or another if there is none.
   *
   * @param other is asked if this one finds nothing
   * @return the extractor
   */
  default KeyExtractor orElse(KeyExtractor other) {
    Objects.requireNonNull(other, "other must not be null");
    return request -> {
      String key = keyOf(request);
      return key == null || key.isEmpty() ? other.keyOf(request) : key;
    };
  }

  /**
   * The same callers under names that do not tell who they are: {@code user#} and a SHA-256 instead
   * of {@code user:ann}. Who sees the keys can still try out names; {@link #hashed(byte[])}
   * prevents that.
   *
   * @return the extractor
   */
  default KeyExtractor hashed() {
    return mapped(this, Keys::sha256);
  }

  /**
   * {@link #hashed()} with a secret (HMAC-SHA-256), for values that could be guessed.
   *
   * @param secret 16 bytes or more; the same in every process that shares a limit
   * @return the extractor
   */
  default KeyExtractor hashed(byte[] secret) {
    if (secret.length < 16) {
      throw new IllegalArgumentException("secret must be 16 bytes or more, was " + secret.length);
    }
    byte[] copy = secret.clone();
    return mapped(this, key -> Keys.hmacSha256(copy, key));
  }

  private static KeyExtractor mapped(KeyExtractor extractor, UnaryOperator<String> hash) {
    return request -> {
      String key = extractor.keyOf(request);
      if (key == null || key.isEmpty()) {
        return null;
      }
      int colon = key.startsWith("(") ? -1 : key.indexOf(':');
      return key.substring(0, Math.max(0, colon)) + "#" + hash.apply(key);
    };
  }
}
