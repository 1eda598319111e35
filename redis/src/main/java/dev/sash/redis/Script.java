package dev.sash.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.Algorithm;
import dev.sash.Limit;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Lua script as it is sent to Redis: the clock, what the algorithms have in common, the
 * algorithms that it is to decide by, and the rule, one file after the other.
 *
 * @param source the whole text
 * @param sha1 its SHA-1 in lower-case hexadecimal, by which {@code EVALSHA} knows it
 */
record Script(String source, String sha1) {
  /** The server's own clock. */
  static final String CLOCK = "clock.lua";

  private static final Map<Set<Algorithm>, Script> SCRIPTS = new ConcurrentHashMap<>();

  /**
   * The script for limits of these algorithms; the same one for the same algorithms.
   *
   * @param limits at least one
   * @return the script
   */
  static Script of(List<Limit> limits) {
    return SCRIPTS.computeIfAbsent(algorithms(limits), algorithms -> assemble(CLOCK, algorithms));
  }

  static Set<Algorithm> algorithms(List<Limit> limits) {
    return limits.stream()
        .map(Limit::algorithm)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Algorithm.class)));
  }

  /**
   * Puts a script together from its files.
   *
   * @param clock the file that tells the time
   * @param algorithms which to put in
   */
  static Script assemble(String clock, Set<Algorithm> algorithms) {
    Stream<String> parts = Stream.of(clock, "mul_div.lua", "state.lua");
    Stream<String> chosen =
        algorithms.stream().sorted().map(algorithm -> algorithm.id().replace('-', '_') + ".lua");
    String source =
        Stream.of(parts, chosen, Stream.of("rule.lua"))
            .flatMap(names -> names)
            .map(Script::read)
            .collect(Collectors.joining("\n"));
    return new Script(source, sha1(source));
  }

  private static String read(String name) {
    try (InputStream file = Script.class.getResourceAsStream(name)) {
      if (file == null) {
        throw new IllegalStateException("no script " + name + " beside " + Script.class.getName());
      }
      return new String(file.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read script " + name, e);
    }
  }

  private static String sha1(String source) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(source.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-1", e);
    }
  }
}
