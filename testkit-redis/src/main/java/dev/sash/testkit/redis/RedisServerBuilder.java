package dev.sash.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link RedisServer} starts with. Each start makes another server.
 *
 * <p>Not thread-safe.
 */
public final class RedisServerBuilder {
  static final String CONFIGURATION = "redis.conf";

  private static final int TRIES = 10;
  private static final Set<String> OURS = Set.of("port", "bind", "dir", "tls-port");

  private final List<String> directives = new ArrayList<>();
  private @Nullable RedisBinary binary;
  private boolean tls;
  private boolean sentinel;
  private IntSupplier ports = Ports::take;

  RedisServerBuilder() {}

  /**
   * Which binary to run.
   *
   * @param newBinary the binary; without this it is the {@linkplain RedisBinary#chosen chosen}
   * @return this
   */
  public RedisServerBuilder binary(RedisBinary newBinary) {
    binary = newBinary;
    return this;
  }

  /**
   * Adds to the configuration. Of two lines that contradict each other the last one counts. Users
   * are added by {@code user} lines: Redis does not take an {@code aclfile} besides the user that
   * the server has already.
   *
   * @param lines directives with their values, such as {@code requirepass secret}
   * @return this
   * @throws IllegalArgumentException if one would move the server elsewhere
   */
  public RedisServerBuilder directives(String... lines) {
    for (String line : lines) {
      if (OURS.contains(line.strip().split("\\s", 2)[0])) {
        throw new IllegalArgumentException("the server chooses it itself: " + line);
      }
      directives.add(line);
    }
    return this;
  }

  /**
   * Listens with TLS too, on a second port, with a certificate of its own. Clients need none.
   *
   * @return this
   */
  public RedisServerBuilder tls() {
    tls = true;
    return this;
  }

  RedisServerBuilder sentinel() {
    sentinel = true;
    return this;
  }

  RedisServerBuilder ports(IntSupplier newPorts) {
    ports = newPorts;
    return this;
  }

  /**
   * Starts a server and waits until it answers.
   *
   * @return the server
   * @throws IllegalStateException if it does not start, the message has its log; or if it shall
   *     listen with TLS and the binary {@linkplain RedisBinary#tls cannot}
   */
  public RedisServer start() {
    RedisBinary chosen = binary == null ? RedisBinary.chosen() : binary;
    if (tls && !chosen.tls()) {
      throw new IllegalStateException(chosen + " was built without TLS");
    }
    for (int tried = 1; ; tried++) {
      RedisServer server = configured(chosen);
      try {
        server.launch();
        return server;
      } catch (RuntimeException e) {
        // Between choosing a port and listening there, another process may take it.
        boolean portLost = server.log().contains("Address already in use");
        server.close();
        if (!portLost || tried == TRIES) {
          throw e;
        }
      }
    }
  }

  private RedisServer configured(RedisBinary chosen) {
    ServerProcess process = new ServerProcess();
    int port = ports.getAsInt();
    List<String> lines = new ArrayList<>(base(port));
    int tlsPort = 0;
    SelfSignedCertificate certificate = null;
    if (tls) {
      tlsPort = ports.getAsInt();
      certificate = SelfSignedCertificate.in(process.directory());
      lines.addAll(encrypted(tlsPort, certificate));
    }
    lines.addAll(directives);
    try {
      Files.write(process.directory().resolve(CONFIGURATION), lines, UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new RedisServer(process, chosen, sentinel, port, tlsPort, certificate);
  }

  private List<String> base(int port) {
    List<String> lines = new ArrayList<>();
    lines.add("port " + port);
    lines.add("bind " + RedisServer.HOST);
    lines.add(
        "user %s on >%s allkeys allchannels +@all"
            .formatted(RedisServer.CONTROL_USER, RedisServer.CONTROL_PASSWORD));
    if (!sentinel) {
      lines.add("save \"\"");
      // Redis 7 would wait 5 seconds for more replicas before it sends its data to the first.
      lines.add("repl-diskless-sync yes");
      lines.add("repl-diskless-sync-delay 0");
    }
    return lines;
  }

  private static List<String> encrypted(int port, SelfSignedCertificate certificate) {
    return List.of(
        "tls-port " + port,
        "tls-cert-file \"%s\"".formatted(certificate.certificate()),
        "tls-key-file \"%s\"".formatted(certificate.key()),
        "tls-ca-cert-file \"%s\"".formatted(certificate.certificate()),
        "tls-auth-clients no");
  }
}
