package dev.sash.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.Algorithm;
import dev.sash.Limit;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * A Lua script as it is sent to Redis: the clock, what the algorithms have in common, the
 * algorithms that it is to decide by, and the rule, one file after the other.
 *
 * @param source the whole text
 * @param sha1 its SHA-1 in lower-case hexadecimal, by which {@code EVALSHA} knows it
 */
record Script(String source, String sha1) {
  private static final String SETTINGS = "settings.lua";

  /** What scripts fail with on a value that Sash did not write; {@link Failures} looks for it. */
  private static final String STATE_ERROR =
      "local STATE_ERROR = '"
          + Failures.STATE_CODE
          + " the key holds something else than the state of this limit'\n";

  private static final Map<List<String>, Script> SCRIPTS = new ConcurrentHashMap<>();

  /**
   * The script for these limits; the same one for the same algorithms, in whatever order.
   *
   * @param limits at least one
   * @return the script
   */
  static Script of(List<Limit> limits) {
    return of(limits, SETTINGS);
  }

  /** The script for these limits with the settings, such as the clock, that a file makes. */
  static Script of(List<Limit> limits, String settings) {
    return SCRIPTS.computeIfAbsent(parts(limits, settings), Script::assemble);
  }

  /**
   * The files, in order: each uses only what stands before it. A single limit has the usual request
   * in a straight line before everything else.
   */
  private static List<String> parts(List<Limit> limits, String settings) {
    Set<Algorithm> algorithms =
        limits.stream()
            .map(Limit::algorithm)
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(Algorithm.class)));
    boolean single = limits.size() == 1;
    boolean logs = algorithms.remove(Algorithm.SLIDING_LOG);
    List<String> parts = new ArrayList<>(List.of(settings, "names.lua"));
    if (!algorithms.isEmpty()) {
      parts.add("mul_div.lua");
      algorithms.forEach(algorithm -> parts.add(algorithm.id().replace('-', '_') + ".lua"));
      if (single) {
        parts.add("acquire_counts.lua");
      }
      parts.add("counts.lua");
    }
    if (logs) {
      if (single) {
        parts.add("acquire_log.lua");
      }
      parts.add("sliding_log.lua");
    }
    parts.add("rule.lua");
    return parts;
  }

  private static Script assemble(List<String> parts) {
    String source =
        STATE_ERROR + parts.stream().map(Script::read).collect(Collectors.joining("\n"));
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
