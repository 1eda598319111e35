package dev.sash.http;

import dev.sash.http.internal.HttpSyntax;
import dev.sash.key.Keys;
import java.text.Normalizer;
import java.text.Normalizer.Form;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Finds the key of a request. Stateless and thread-safe.
 *
 * <pre>{@code
 * KeyExtractor.clientAddress()                                   // ip:192.0.2.1, ip:2001:db8:1:2::/64
 * KeyExtractor.principal().orElse(KeyExtractor.clientAddress())  // user:ann, or the address
 * KeyExtractor.apiKey("X-Api-Key")                               // apikey:9rQ…, a hash
 * KeyExtractor.clientAddress().and(KeyExtractor.path())          // each address on each path
 * KeyExtractor.by("tenant", request -> tenantOf(request.header("Host")))
 * }</pre>
 *
 * <p>Each kind of key has its own prefix and combinations are escaped, so that different callers
 * never share a key. A key longer than 1024 bytes is replaced by its hash.
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
   * Returns whether the key depends on the authenticated user. Such a key is found only after
   * authentication.
   *
   * @return false unless overridden
   */
  default boolean usesPrincipal() {
    return false;
  }

  /**
   * Returns an extractor of the client's address: {@code ip:} and an IPv4 address, or the /64
   * network of an IPv6 address, since a client usually has a whole network; {@code ip:unknown} on
   * connections without an address.
   *
   * @return always finds a key
   */
  static KeyExtractor clientAddress() {
    return clientAddress(32, 64);
  }

  /**
   * Returns an extractor of the client's network.
   *
   * @param ipv4Bits the bits of an IPv4 address that identify a client, 1 to 32
   * @param ipv6Bits the bits of an IPv6 address that identify a client, 1 to 128
   * @return always finds a key
   */
  static KeyExtractor clientAddress(int ipv4Bits, int ipv6Bits) {
    return new Extractors.ClientAddress(ipv4Bits, ipv6Bits);
  }

  /**
   * Returns an extractor of the authenticated user: {@code user:} and the name. Authentication must
   * come first.
   *
   * @return finds no key in anonymous requests
   */
  static KeyExtractor principal() {
    return new Extractors.Derived(true, by("user", IncomingRequest::principal));
  }

  /**
   * Returns an extractor of the name with which a client tries to log in: {@code login:} and the
   * name, in lower case. It is what the client claims, before any password is checked.
   *
   * @return finds no key if the request does not try to log in by name
   */
  static KeyExtractor loginName() {
    return by(
        "login",
        request -> {
          String name = request.loginName();
          // Many spellings of one name must not be many keys: user stores often ignore case.
          return name == null
              ? null
              : Normalizer.normalize(name.strip(), Form.NFKC).toLowerCase(Locale.ROOT);
        });
  }

  /**
   * Returns an extractor of a secret in a header field: {@code apikey:} and its hash, as {@link
   * Keys#ofApiKey} computes it. The secret itself is not stored. A client that invents secrets gets
   * a new key each time: verify them first, or limit the address too.
   *
   * @param field the field's name, such as {@code X-Api-Key} or {@code Authorization}
   * @return finds no key if the field is missing or empty
   */
  static KeyExtractor apiKey(String field) {
    HttpSyntax.checkedToken("field", field);
    return request -> {
      String value = request.header(field);
      return value == null || value.isEmpty() ? null : Keys.ofApiKey(value);
    };
  }

  /**
   * Returns an extractor of a header field in plain text: {@code header:name:value}, the name in
   * lower case.
   *
   * @param field the field's name
   * @return finds no key if the field is missing or empty
   */
  static KeyExtractor header(String field) {
    String name = HttpSyntax.checkedToken("field", field).toLowerCase(Locale.ROOT);
    return named("header", name, request -> request.header(name));
  }

  /**
   * Returns an extractor of a query parameter: {@code query:name:value}.
   *
   * @param name the parameter's name
   * @return finds no key if the parameter is missing or empty
   */
  static KeyExtractor queryParameter(String name) {
    Objects.requireNonNull(name, "name must not be null");
    return named("query", name, request -> request.queryParameter(name));
  }

  /**
   * Returns an extractor of a cookie: {@code cookie:name:value}. Use {@link #hashed()} for
   * sessions.
   *
   * @param name the cookie's name
   * @return finds no key if the cookie is missing or empty
   */
  static KeyExtractor cookie(String name) {
    HttpSyntax.checkedToken("name", name);
    return named("cookie", name, request -> request.cookie(name));
  }

  /**
   * Returns an extractor of the path: {@code path:/users/7}. Clients choose it, and with it any
   * number of keys.
   *
   * @return always finds a key
   */
  static KeyExtractor path() {
    return by("path", IncomingRequest::path);
  }

  /**
   * Returns an extractor of the pattern of the handler: {@code route:/users/{id}}.
   *
   * @return finds no key before the server has chosen a handler
   */
  static KeyExtractor route() {
    return by("route", IncomingRequest::routeTemplate);
  }

  /**
   * Returns an extractor of the method: {@code method:GET}.
   *
   * @return always finds a key
   */
  static KeyExtractor method() {
    return by("method", IncomingRequest::method);
  }

  /**
   * Returns an extractor of one key for all requests: {@code all:}.
   *
   * @return always finds a key
   */
  static KeyExtractor everybody() {
    return request -> "all:";
  }

  /**
   * Returns an extractor of any value: {@code prefix:value}.
   *
   * @param prefix identifies this kind of key: 1 to 32 lower-case letters, digits and hyphens
   * @param value returns the value; null or empty if there is none
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
   * Returns an extractor that combines several keys, for example each user from each address:
   * {@code (user:ann|ip:192.0.2.1)}.
   *
   * @param parts find the parts
   * @return finds no key if one of them finds none
   */
  static KeyExtractor all(KeyExtractor... parts) {
    List<KeyExtractor> extractors = List.of(parts);
    if (extractors.isEmpty()) {
      throw new IllegalArgumentException("parts must be 1 or more, were 0");
    }
    return new Extractors.Derived(
        extractors.stream().anyMatch(KeyExtractor::usesPrincipal),
        request -> {
          List<String> keys = new ArrayList<>();
          for (KeyExtractor extractor : extractors) {
            String key = extractor.keyOf(request);
            if (key == null || key.isEmpty()) {
              return null;
            }
            keys.add(key);
          }
          return Keys.combined(keys);
        });
  }

  /**
   * Returns {@code all(this, other)}.
   *
   * @param other finds the second part
   * @return finds no key if one of them finds none
   */
  default KeyExtractor and(KeyExtractor other) {
    return all(this, other);
  }

  /**
   * Returns an extractor with an alternative.
   *
   * @param other called if this one finds no key
   * @return the extractor
   */
  default KeyExtractor orElse(KeyExtractor other) {
    Objects.requireNonNull(other, "other must not be null");
    return new Extractors.Derived(
        usesPrincipal() || other.usesPrincipal(),
        request -> {
          String key = keyOf(request);
          return key == null || key.isEmpty() ? other.keyOf(request) : key;
        });
  }

  /**
   * Returns an extractor that hashes the key: {@code user#} and a SHA-256 instead of {@code
   * user:ann}. Values can still be guessed by hashing candidates; {@link #hashed(byte[])} prevents
   * that.
   *
   * @return the extractor
   */
  default KeyExtractor hashed() {
    return mapped(this, Keys::sha256);
  }

  /**
   * Returns an extractor that hashes the key with a secret (HMAC-SHA-256), for values that could be
   * guessed.
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
    return new Extractors.Derived(
        extractor.usesPrincipal(),
        request -> {
          String key = extractor.keyOf(request);
          if (key == null || key.isEmpty()) {
            return null;
          }
          int colon = key.startsWith("(") ? -1 : key.indexOf(':');
          return key.substring(0, Math.max(0, colon)) + "#" + hash.apply(key);
        });
  }
}
