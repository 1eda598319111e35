package dev.sash.benchmarks.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.Limit;
import dev.sash.redis.BareScript;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** A Lua script that spends a permit of a key, and how a caller calls it. */
interface Script {
  /** The text to load. */
  String source();

  /** What to call it with now. */
  Call call(String key);

  /** Whether all calls for a key are the same, whenever they are made. */
  default boolean repeats() {
    return true;
  }

  /** What {@code EVALSHA} takes beside the script. */
  record Call(List<String> keys, List<byte[]> arguments) {
    static Call of(List<String> keys, Object... arguments) {
      return new Call(
          keys, Stream.of(arguments).map(word -> word.toString().getBytes(UTF_8)).toList());
    }
  }

  /** What ships with Sash. */
  static Script sash(List<Limit> limits) {
    BareScript bare = new BareScript(limits);
    return new Script() {
      @Override
      public String source() {
        return bare.source();
      }

      @Override
      public Call call(String key) {
        return new Call(List.of(bare.keys(key)), List.of(bare.argument()));
      }
    };
  }

  /** The usual exact log. The caller is spared the long random names that members often have. */
  static Script sortedSet(long permits, Duration window) {
    AtomicLong members = new AtomicLong();
    String source = read("sorted_set.lua");
    return new Timed(source) {
      @Override
      Call call(String key, long millis) {
        String member = millis + "-" + members.incrementAndGet();
        return Call.of(List.of(key), permits, window.toMillis(), millis, member);
      }
    };
  }

  /** The usual sliding counter. */
  static Script twoKeys(long permits, Duration window) {
    String source = read("two_keys.lua");
    return new Timed(source) {
      @Override
      Call call(String key, long millis) {
        long number = millis / window.toMillis();
        List<String> keys = List.of("{" + key + "}:" + number, "{" + key + "}:" + (number - 1));
        return Call.of(keys, permits, window.toMillis(), millis);
      }
    };
  }

  /** What no script can be faster than. */
  static Script empty() {
    String source = read("empty.lua");
    return new Script() {
      @Override
      public String source() {
        return source;
      }

      @Override
      public Call call(String key) {
        return Call.of(List.of(key));
      }
    };
  }

  /** A script that receives the time from its caller. */
  abstract class Timed implements Script {
    private final String source;

    Timed(String source) {
      this.source = source;
    }

    abstract Call call(String key, long millis);

    @Override
    public String source() {
      return source;
    }

    @Override
    public Call call(String key) {
      return call(key, System.currentTimeMillis());
    }

    @Override
    public boolean repeats() {
      return false;
    }
  }

  private static String read(String name) {
    try (InputStream file = Script.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(file, name).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
