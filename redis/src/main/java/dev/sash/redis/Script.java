package dev.sash.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The Lua script that decides, as it is sent to Redis: {@code batch.lua} with the files that it
 * includes, without comments.
 *
 * @param source the whole text
 * @param sha1 its SHA-1 in lower-case hexadecimal, by which {@code EVALSHA} knows it
 */
record Script(String source, String sha1) {
  /** What the usual requests do not need, in order: each file uses only what is before it. */
  private static final List<String> GENERAL =
      List.of(
          "check",
          "expiry",
          "mul_div",
          "sliding_counter",
          "fixed_window",
          "token_bucket",
          "counts",
          "sliding_log",
          "rule");

  /** A line of a file for which another file is put. */
  private static final Pattern INCLUDE = Pattern.compile("--@ (\\w+)");

  /** What scripts fail with on a value that Sash did not write; {@link Failures} looks for it. */
  private static final String STATE_ERROR =
      "local STATE_ERROR = '"
          + Failures.STATE_CODE
          + " the key holds something else than the state of this limit'\n";

  /** The script that ships. */
  static final Script DECIDE = withSettings("settings");

  /** What replaces a {@link RedisDocument}; rarely, so that Redis need not know it. */
  static final String REPLACE_DOCUMENT = read("document");

  /** Returns the script with the settings, such as the clock, that a file makes. */
  static Script withSettings(String settings) {
    String source = STATE_ERROR + read(settings) + read("names") + read("batch");
    return new Script(source, sha1(source));
  }

  private static String read(String name) {
    if (name.equals("general")) {
      return GENERAL.stream().map(Script::read).collect(Collectors.joining());
    }
    String file = name + ".lua";
    try (InputStream in = Script.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("no script " + file + " beside " + Script.class.getName());
      }
      return new String(in.readAllBytes(), UTF_8)
          .lines()
          .map(Script::line)
          .collect(Collectors.joining());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read script " + file, e);
    }
  }

  /**
   * Includes another file, or leaves out a comment: Redis keeps the text for as long as it runs.
   */
  private static String line(String line) {
    Matcher include = INCLUDE.matcher(line.strip());
    if (include.matches()) {
      return read(include.group(1));
    }
    String code = line.replaceFirst("(^|\\s)-- .*", "").strip();
    return code.isEmpty() || code.equals("--") ? "" : code + "\n";
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
