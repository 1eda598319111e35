package dev.sash.grpc;

import dev.sash.key.Keys;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds the key of a call. Stateless and thread-safe.
 *
 * <pre>{@code
 * CallKey.peer()                                          // ip:192.0.2.1, ip:2001:db8:1:2::/64
 * CallKey.apiKey("x-api-key").orElse(CallKey.peer())      // apikey:9rQ…, a hash, or the address
 * CallKey.context("user", USER).and(CallKey.method())     // each user on each method
 * CallKey.by("tenant", (call, headers) -> tenantOf(call.getAuthority()))
 * }</pre>
 *
 * <p>Each kind of key has its own prefix, and combinations are escaped, so that different callers
 * never share a key. A key longer than 1024 bytes is replaced by its hash.
 */
@FunctionalInterface
public interface CallKey {
  /**
   * Finds the key. Called on the thread, and in the {@link Context}, in which the call arrives.
   *
   * @param call the call; must not be changed
   * @param headers its metadata; must not be changed
   * @return null or empty if the call has none
   */
  @Nullable String keyOf(ServerCall<?, ?> call, Metadata headers);

  /**
   * Returns the key of the peer of the connection: {@code ip:} and an IPv4 address, or the /64
   * network of an IPv6 address, since a client usually has a whole network; {@code ip:unknown} on
   * connections without an address. Behind a proxy it is the proxy.
   *
   * @return always finds a key
   */
  static CallKey peer() {
    return (call, headers) -> PeerKey.of(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
  }

  /**
   * Returns the key of a secret in the metadata: {@code apikey:} and its SHA-256. The secret itself
   * is not stored. A caller that invents secrets gets a new key each time: verify them first, or
   * limit the address too.
   *
   * @param name the entry's name, such as {@code x-api-key} or {@code authorization}; of several
   *     entries the last is used
   * @return finds no key if the entry is missing or empty
   */
  static CallKey apiKey(String name) {
    Metadata.Key<String> entry = Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    return (call, headers) -> {
      String value = headers.get(entry);
      return value == null || value.isEmpty() ? null : Keys.ofApiKey(value);
    };
  }

  /**
   * Returns the key of an entry of the metadata in plain text: {@code metadata:name:value}. Callers
   * choose it, unless a trusted proxy sets it.
   *
   * @param name the entry's name; of several entries the last is used
   * @return finds no key if the entry is missing or empty
   */
  static CallKey metadata(String name) {
    Metadata.Key<String> entry = Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    return by(
        "metadata",
        (call, headers) -> {
          String value = headers.get(entry);
          return value == null || value.isEmpty() ? null : entry.name() + ":" + value;
        });
  }

  /**
   * Returns the key of the method: {@code method:shop.Orders/Place}. Alone, it is one key for all
   * callers.
   *
   * @return always finds a key
   */
  static CallKey method() {
    return by("method", (call, headers) -> call.getMethodDescriptor().getFullMethodName());
  }

  /**
   * Returns the key of a value that an earlier interceptor has put into the {@link Context}, such
   * as the authenticated user: {@code prefix:value}.
   *
   * @param prefix identifies this kind of key, such as {@code user}: 1 to 32 lower-case letters,
   *     digits and hyphens
   * @param value its {@code toString} is the key
   * @return finds no key if the context has no such value
   */
  static CallKey context(String prefix, Context.Key<?> value) {
    Objects.requireNonNull(value, "value must not be null");
    return by(
        prefix,
        (call, headers) -> {
          Object found = value.get();
          return found == null ? null : found.toString();
        });
  }

  /**
   * Returns the key of any value: {@code prefix:value}.
   *
   * @param prefix identifies this kind of key: 1 to 32 lower-case letters, digits and hyphens
   * @param value returns the value; null or empty if there is none
   * @return the key
   */
  static CallKey by(String prefix, BiFunction<ServerCall<?, ?>, Metadata, @Nullable String> value) {
    String start = Keys.checkedPrefix(prefix) + ":";
    Objects.requireNonNull(value, "value must not be null");
    return (call, headers) -> {
      String found = value.apply(call, headers);
      return found == null || found.isEmpty() ? null : start + found;
    };
  }

  /**
   * Returns both keys combined, for example each user on each method: {@code
   * (user:ann|method:shop.Orders/Place)}.
   *
   * @param other finds the second part
   * @return finds no key if one of them finds none
   */
  default CallKey and(CallKey other) {
    Objects.requireNonNull(other, "other must not be null");
    return (call, headers) -> {
      String first = keyOf(call, headers);
      if (first == null || first.isEmpty()) {
        return null;
      }
      String second = other.keyOf(call, headers);
      return second == null || second.isEmpty() ? null : Keys.combined(List.of(first, second));
    };
  }

  /**
   * Returns a key with an alternative.
   *
   * @param other called if this one finds no key
   * @return the key
   */
  default CallKey orElse(CallKey other) {
    Objects.requireNonNull(other, "other must not be null");
    return (call, headers) -> {
      String key = keyOf(call, headers);
      return key == null || key.isEmpty() ? other.keyOf(call, headers) : key;
    };
  }
}
