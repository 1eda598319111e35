package dev.sash.testkit.redis;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.error.OsArchitectureNotFound;
import redis.embedded.error.UnknownOSName;

/**
 * A {@code redis-server} that runs on this machine.
 *
 * <p>The system property {@value #PROPERTY} chooses it: a path, or {@value #EMBEDDED} for the one
 * that comes as a library. Without it there are the one on the {@code PATH}, if any, and the
 * embedded one.
 *
 * <pre>{@code
 * @ParameterizedTest
 * @MethodSource("dev.sash.testkit.redis.RedisBinary#all")
 * void countsOnEveryVersion(RedisBinary binary) {
 *   try (RedisServer server = RedisServer.builder().binary(binary).start()) { ... }
 * }
 * }</pre>
 *
 * @param path the executable file
 * @param version its version, such as {@code 7.0.15}
 * @param tls whether it was built with TLS
 */
public record RedisBinary(Path path, String version, boolean tls) {
  /** The system property that chooses the binary. */
  public static final String PROPERTY = "sash.redis";

  /** The value of the property that chooses the binary that comes as a library. */
  public static final String EMBEDDED = "embedded";

  private static final Pattern VERSION = Pattern.compile("v=(\\d+(?:\\.\\d+)+)");

  /** Looked for once: it runs each binary twice, and unpacks one. */
  private static final class AtHand {
    static final List<RedisBinary> ALL = find(System.getProperty(PROPERTY, ""));
  }

  /**
   * The binary to use when nothing else is said.
   *
   * @return the first of all
   * @throws IllegalStateException if there is none, or the one that the property names does not run
   */
  public static RedisBinary chosen() {
    return all().stream()
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "no redis-server on the PATH, and the embedded one does not run on this"
                        + " machine; name one by -D%s=path".formatted(PROPERTY)));
  }

  /**
   * All binaries at hand, one of each version.
   *
   * @return only the one that the system property names, if it is set; else the one on the {@code
   *     PATH} and the embedded one, as far as they run
   * @throws IllegalStateException if the one that the property names does not run
   */
  public static List<RedisBinary> all() {
    return AtHand.ALL;
  }

  /**
   * Whether this is some version or a newer one.
   *
   * @param major the number before the first dot
   * @param minor the number after it
   * @return true from {@code major.minor.0} on
   */
  public boolean atLeast(int major, int minor) {
    String[] numbers = version.split("\\.", -1);
    int ownMajor = Integer.parseInt(numbers[0]);
    return ownMajor > major || (ownMajor == major && Integer.parseInt(numbers[1]) >= minor);
  }

  /** All at hand, or only the one that is named, if not empty. */
  static List<RedisBinary> find(String named) {
    if (!named.isEmpty()) {
      Optional<Path> path = named.equals(EMBEDDED) ? unpacked() : Optional.of(Path.of(named));
      return List.of(
          path.flatMap(RedisBinary::probed)
              .orElseThrow(
                  () ->
                      new IllegalStateException(
                          "%s=%s does not run as a redis-server".formatted(PROPERTY, named))));
    }
    List<RedisBinary> found = new ArrayList<>();
    for (Path path : Stream.concat(installed().stream(), unpacked().stream()).toList()) {
      probed(path)
          .filter(binary -> found.stream().noneMatch(b -> b.version.equals(binary.version)))
          .ifPresent(found::add);
    }
    return List.copyOf(found);
  }

  private static Optional<Path> installed() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.of(path.split(File.pathSeparator, -1))
        .filter(directory -> !directory.isEmpty())
        .map(directory -> Path.of(directory, "redis-server"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Empty if the library has none for this system. */
  private static Optional<Path> unpacked() {
    Path directory = Directories.temporary();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> Directories.delete(directory), "sash-redis-binary"));
    try {
      return Optional.of(
          ExecutableProvider.newJarResourceProvider(directory.toFile()).get().toPath());
    } catch (IOException | OsArchitectureNotFound | UnknownOSName e) {
      return Optional.empty();
    }
  }

  /** Empty if it does not run: built for another system, or lacking a shared library. */
  private static Optional<RedisBinary> probed(Path path) {
    try {
      Matcher version = VERSION.matcher(Tool.run(path.toString(), "--version").output());
      return version.find()
          ? Optional.of(new RedisBinary(path, version.group(1), knowsTls(path)))
          : Optional.empty();
    } catch (UncheckedIOException e) {
      return Optional.empty();
    }
  }

  /**
   * A server names the first directive that it does not know and ends. The second here is unknown
   * to all, so that none starts.
   */
  private static boolean knowsTls(Path path) {
    String complaint =
        Tool.run(path.toString(), "--tls-auth-clients", "no", "--sash-probe", "yes").output();
    return !complaint.contains("tls-auth-clients");
  }

  @Override
  public String toString() {
    return "redis-server " + version;
  }
}
