package dev.sash.spring.grpc;

import dev.sash.grpc.CallKey;
import dev.sash.key.Keys;
import dev.sash.spring.config.KeyWords;
import io.grpc.Metadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The keys of gRPC calls, in the same form as those of HTTP requests: a policy that limits both has
 * one count for a caller. Used for one expression; not thread-safe.
 */
final class CallKeyExpression implements KeyWords<CallKey> {
  private final Function<String, CallKey> beans;
  private final @Nullable CallKey user;
  private boolean usesUser;

  /**
   * Creates a reader.
   *
   * @param beans finds a key by its name
   * @param user finds the authenticated user; null if Spring Security is not there
   */
  CallKeyExpression(Function<String, CallKey> beans, @Nullable CallKey user) {
    this.beans = beans;
    this.user = user;
  }

  /** Returns whether the expression that was read needs the user. */
  boolean usesUser() {
    return usesUser;
  }

  @Override
  public String forms() {
    return "ip, user, apikey:<metadata>, header:<metadata>, method, all, bean:<name> or"
        + " hashed:<any of these>";
  }

  @Override
  public @Nullable CallKey meaning(String word, @Nullable String argument) {
    if (argument == null) {
      return switch (word) {
        case "ip" -> CallKey.peer();
        case "user" -> user();
        case "method" -> CallKey.method();
        case "all" -> (call, headers) -> "all:";
        case "login", "path", "route" -> throw impossible(word);
        default -> null;
      };
    }
    return switch (word) {
      case "apikey" -> CallKey.apiKey(argument);
      case "header" -> header(argument);
      case "bean" -> beans.apply(argument);
      case "query", "cookie" -> throw impossible(word + ":");
      case "ip" ->
          throw new IllegalArgumentException(
              "key must not contain 'ip:"
                  + argument
                  + "' with grpc-methods: the peer of a call is limited by its address, or by its"
                  + " /64 network; use ip");
      default -> null;
    };
  }

  private IllegalArgumentException impossible(String word) {
    return new IllegalArgumentException(
        "key must not contain '"
            + word
            + "' with grpc-methods: a gRPC call has none; it must be made of "
            + forms());
  }

  private CallKey user() {
    if (user == null) {
      throw new IllegalArgumentException(
          "key must not contain 'user' with grpc-methods unless Spring Security is on the class"
              + " path: a bean:<name> of type CallKey can find a user of your own");
    }
    usesUser = true;
    return user;
  }

  private static CallKey header(String name) {
    Metadata.Key<String> entry = Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    String start = "header:" + Keys.escapedName(name.toLowerCase(Locale.ROOT)) + ":";
    return (call, headers) -> {
      String value = headers.get(entry);
      return value == null || value.isEmpty() ? null : start + value;
    };
  }

  @Override
  public CallKey combined(List<CallKey> parts) {
    return (call, headers) -> {
      List<String> keys = new ArrayList<>();
      for (CallKey part : parts) {
        String key = part.keyOf(call, headers);
        if (key == null || key.isEmpty()) {
          return null;
        }
        keys.add(key);
      }
      return Keys.combined(keys);
    };
  }

  @Override
  public CallKey either(CallKey first, CallKey second) {
    return first.orElse(second);
  }

  @Override
  public CallKey hashed(CallKey key) {
    return (call, headers) -> {
      String found = key.keyOf(call, headers);
      if (found == null || found.isEmpty()) {
        return null;
      }
      int colon = found.startsWith("(") ? -1 : found.indexOf(':');
      return found.substring(0, Math.max(0, colon)) + "#" + Keys.sha256(found);
    };
  }
}
