package dev.sash.cli;

import dev.sash.cli.Arguments.BadArgumentsException;
import dev.sash.cli.log.JdkLog;
import dev.sash.cli.log.LogStyle;
import dev.sash.config.ConfigurationException;
import dev.sash.config.internal.Suggestion;
import dev.sash.server.SashServer;
import dev.sash.server.ServerOptions;
import dev.sash.server.access.OperatorTokens;
import dev.sash.server.access.Receipts;
import dev.sash.server.access.RedisLogin;
import dev.sash.server.access.RespCredentials;
import dev.sash.server.http.HttpOptions;
import dev.sash.server.http.guard.HttpBounds;
import dev.sash.server.net.NetworkBounds;
import dev.sash.server.net.TlsFiles;
import dev.sash.server.resp.RespOptions;
import dev.sash.server.rls.GrpcOptions;
import dev.sash.server.statistics.KeyMode;
import dev.sash.server.statistics.StatisticsOptions;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Runs the service until it is told to stop. */
final class Serve {
  private static final Logger LOG = LoggerFactory.getLogger(Serve.class);

  private static final String HOST = "--host";
  private static final String PORT = "--port";
  private static final String GRPC_PORT = "--grpc-port";
  private static final String RESP_PORT = "--resp-port";
  private static final String CONFIG = "--config";
  private static final String REDIS = "--redis";
  private static final String NODES = "--nodes";
  private static final String MAX_BYTES = "--max-bytes";
  private static final String STATE_DIR = "--state-dir";
  private static final String STATE_INTERVAL = "--state-interval";
  private static final String TLS_CERT = "--tls-cert";
  private static final String TLS_KEY = "--tls-key";
  private static final String TLS_CLIENT_CA = "--tls-client-ca";
  private static final String RESP_TLS = "--resp-tls";
  private static final String MAX_CONNECTIONS = "--max-connections";
  private static final String MAX_CONNECTIONS_PER_ADDRESS = "--max-connections-per-address";
  private static final String MAX_INPUT_BYTES = "--max-input-bytes";
  private static final String MAX_HEADER_BYTES = "--max-header-bytes";
  private static final String ALLOWED_HOSTS = "--allowed-hosts";
  private static final String IDLE_TIMEOUT = "--idle-timeout";
  private static final String REQUEST_TIMEOUT = "--request-timeout";
  private static final String DRAIN_DELAY = "--drain-delay";
  private static final String STATISTICS = "--statistics";
  private static final String STATISTICS_KEYS = "--statistics-keys";
  private static final String LOG_FORMAT = "--log-format";
  private static final String LOG_LEVEL = "--log-level";
  static final List<String> FLAGS =
      List.of(
          HOST,
          PORT,
          GRPC_PORT,
          RESP_PORT,
          CONFIG,
          REDIS,
          NODES,
          MAX_BYTES,
          STATE_DIR,
          STATE_INTERVAL,
          TLS_CERT,
          TLS_KEY,
          TLS_CLIENT_CA,
          RESP_TLS,
          MAX_CONNECTIONS,
          MAX_CONNECTIONS_PER_ADDRESS,
          MAX_INPUT_BYTES,
          MAX_HEADER_BYTES,
          ALLOWED_HOSTS,
          IDLE_TIMEOUT,
          REQUEST_TIMEOUT,
          DRAIN_DELAY,
          STATISTICS,
          STATISTICS_KEYS,
          LOG_FORMAT,
          LOG_LEVEL);

  /** Variables without a flag: flags are visible to every user of the machine. */
  private static final List<String> SECRETS =
      List.of(
          "SASH_ADMIN_TOKEN",
          "SASH_ADMIN_TOKEN_FILE",
          "SASH_REFUND_TOKEN",
          "SASH_REFUND_TOKEN_FILE",
          "SASH_RECEIPT_SECRET",
          "SASH_RECEIPT_SECRET_FILE",
          "SASH_RESP_USER",
          "SASH_RESP_PASSWORD",
          "SASH_RESP_PASSWORD_FILE",
          "SASH_REDIS_USER",
          "SASH_REDIS_PASSWORD_FILE",
          "SASH_SERVER");

  private static final String LOOPBACK = "127.0.0.1";

  static final String USAGE =
      """
      usage: sash serve [flags]     runs the rate limiting service

        --host ADDRESS          the address to listen on (127.0.0.1)
        --port N                the port for HTTP (8080)
        --grpc-port N           the port for Envoy's protocol (Envoy's protocol is disabled)
        --resp-port N           the port for RESP (RESP is disabled)
        --config PATH           a YAML file or a directory of YAML files (100/1m, as 'default')
        --redis URI             keeps the state in Redis, shared by many servers (in memory)
        --nodes N               the number of servers that share the limits if Redis fails (1)
        --max-bytes SIZE        the memory for keys and their state, such as 512m or 1g; with Redis,
                                for the local fallback (a quarter of the maximum heap)
        --state-dir DIR         keeps the counts of a server in memory there, over restarts (none)
        --state-interval TIME   the time between two saves (5s)
        --tls-cert FILE         the certificate chain in PEM format
        --tls-key FILE          the private key in PEM format
        --tls-client-ca FILE    the authorities of client certificates in PEM format; with it,
                                clients must present a certificate
        --resp-tls true         uses the same TLS for RESP (false)
        --max-connections N     the most open connections of HTTP, and of RESP; further ones are
                                closed (20000)
        --max-connections-per-address N
                                the most connections from one IPv4 address or IPv6 /64 network (three
                                quarters of --max-connections)
        --max-input-bytes SIZE  the most bytes of requests that are not complete (64m)
        --max-header-bytes N    the most bytes of the header fields of a request (32768)
        --allowed-hosts NAMES   names of this server, separated by commas, that clients may use; addresses
                                and localhost always may, * allows any (none)
        --request-timeout TIME  the most time to send the head or the body of a request (10s)
        --idle-timeout TIME     closes connections that send no complete request in this time (1m)
        --drain-delay TIME      the time between failing /readyz and stopping (0s)
        --statistics BOOLEAN    whether to keep statistics of decisions: true or false (true)
        --statistics-keys MODE  what statistics keep of keys: shown, hashed or hidden (shown)
        --log-format FORMAT     text or json (text)
        --log-level LEVEL       error, warn, info or debug (info)

      Each flag can also be set as an environment variable: --resp-port is SASH_RESP_PORT.
      Secrets are not flags, since flags are visible to every user of the machine:
        SASH_ADMIN_TOKEN        the token for administrative requests; without it, only requests from
                                this machine are accepted
        SASH_REFUND_TOKEN       a token that permits refunds and nothing else
        SASH_RECEIPT_SECRET     signs receipts; the same for all servers on one Redis
        SASH_RESP_PASSWORD      the password of RESP clients, and SASH_RESP_USER their user name
        SASH_REDIS_PASSWORD_FILE
                                a file with the password of Redis, and SASH_REDIS_USER the user, if
                                they are not in the URI
      SASH_ADMIN_TOKEN_FILE, SASH_REFUND_TOKEN_FILE, SASH_RESP_PASSWORD_FILE and
      SASH_RECEIPT_SECRET_FILE name files instead. Files of tokens and passwords are read again when
      they change. Tokens have at least 16 characters.
      Signals: HUP reloads the configuration, TERM and INT drain and stop the server.
      """;

  private Serve() {}

  static int run(
      List<String> words, Map<String, String> environment, PrintStream out, PrintStream err) {
    Arguments arguments = Arguments.parse("serve", FLAGS, words, environment);
    if (!arguments.others().isEmpty()) {
      throw new BadArgumentsException("serve does not know '" + arguments.others().get(0) + "'");
    }
    logStyle(arguments).use();
    unknownVariables(environment.keySet()).forEach(LOG::warn);
    try {
      return serve(options(arguments, environment), out);
    } catch (ConfigurationException e) {
      err.println(e.getMessage());
      return Main.FAILED;
    } catch (IllegalArgumentException | IllegalStateException e) {
      err.println("sash: cannot serve: " + e.getMessage());
      return Main.FAILED;
    }
  }

  /** Returns what to say about variables that look like ours and are not. */
  static List<String> unknownVariables(Set<String> names) {
    Set<String> known = new TreeSet<>(SECRETS);
    FLAGS.forEach(flag -> known.add(Arguments.variable(flag)));
    return names.stream()
        .filter(name -> name.startsWith("SASH_") && !known.contains(name))
        // Kubernetes describes a service of that name in such variables.
        .filter(name -> !name.startsWith("SASH_SERVICE_") && !name.startsWith("SASH_PORT_"))
        .sorted()
        .map(name -> "Variable " + name + " is unknown and ignored" + Suggestion.after(name, known))
        .toList();
  }

  private static int serve(ServerOptions options, PrintStream out) {
    if (options.grpc() != null) {
      JdkLog.forward();
    }
    try (SashServer server = SashServer.start(options)) {
      stopBySignal(server);
      Signals.on("HUP", () -> reload(server));
      out.print(welcome(options, server));
      out.flush();
      server.awaitClosed();
      return Main.DONE;
    }
  }

  private static LogStyle logStyle(Arguments arguments) {
    boolean json = arguments.choice(LOG_FORMAT, List.of("text", "json")).equals("json");
    String level = arguments.choice(LOG_LEVEL, List.of("info", "error", "warn", "debug"));
    return new LogStyle(
        json, Level.valueOf(level.toUpperCase(Locale.ROOT)), LogStyle.standardError());
  }

  static ServerOptions options(Arguments arguments, Map<String, String> environment) {
    OperatorTokens tokens = OperatorTokens.of(environment);
    HttpOptions http =
        HttpOptions.at(arguments.text(HOST, LOOPBACK), arguments.number(PORT, 0, 65_535, 8080))
            .withTls(tls(arguments))
            .withTokens(tokens)
            .withAllowedHosts(names(arguments.text(ALLOWED_HOSTS)))
            .withBounds(bounds(arguments));
    String config = arguments.text(CONFIG);
    String redis = arguments.text(REDIS);
    String state = arguments.text(STATE_DIR);
    return ServerOptions.of(http)
        .withGrpc(grpc(arguments))
        .withResp(resp(arguments, environment, tokens))
        .withReceiptSecret(Receipts.secretOf(environment))
        .withConfiguration(config == null ? null : Path.of(config))
        .withRedis(redis == null ? List.of() : List.of(redis.strip().split("\\s+")))
        .withRedisLogin(RedisLogin.of(environment))
        .withNodes(arguments.number(NODES, 1, 1_000_000, 1))
        .withMaxBytes(arguments.bytes(MAX_BYTES))
        .withState(
            state == null ? null : Path.of(state),
            arguments.duration(STATE_INTERVAL, Duration.ofSeconds(5)))
        .withNetwork(network(arguments))
        .withStatistics(statistics(arguments))
        .withDrainDelay(arguments.duration(DRAIN_DELAY, Duration.ZERO));
  }

  private static @Nullable GrpcOptions grpc(Arguments arguments) {
    Integer port = arguments.number(GRPC_PORT, 0, 65_535);
    if (port == null) {
      return null;
    }
    HttpBounds bounds = bounds(arguments);
    return GrpcOptions.at(arguments.text(HOST, LOOPBACK), port)
        .withMaxConnections(connections(arguments))
        .withTimeouts(bounds.idleTimeout(), bounds.requestTimeout())
        .withTls(tls(arguments));
  }

  private static @Nullable RespOptions resp(
      Arguments arguments, Map<String, String> environment, OperatorTokens tokens) {
    Integer port = arguments.number(RESP_PORT, 0, 65_535);
    return port == null
        ? null
        : RespOptions.builder()
            .host(arguments.text(HOST, LOOPBACK))
            .port(port)
            .credentials(RespCredentials.of(environment))
            .tokens(tokens)
            .tls(respTls(arguments))
            .maxConnections(connections(arguments))
            .build();
  }

  private static @Nullable TlsFiles respTls(Arguments arguments) {
    if (arguments.choice(RESP_TLS, List.of("false", "true")).equals("false")) {
      return null;
    }
    TlsFiles tls = tls(arguments);
    if (tls == null) {
      throw new BadArgumentsException(RESP_TLS + " must be given with " + TLS_CERT);
    }
    return tls;
  }

  private static StatisticsOptions statistics(Arguments arguments) {
    boolean enabled = arguments.choice(STATISTICS, List.of("true", "false")).equals("true");
    List<String> modes = Arrays.stream(KeyMode.values()).map(KeyMode::id).toList();
    String mode = arguments.choice(STATISTICS_KEYS, modes);
    return new StatisticsOptions(enabled, KeyMode.valueOf(mode.toUpperCase(Locale.ROOT)));
  }

  private static NetworkBounds network(Arguments arguments) {
    int connections = connections(arguments);
    long inputBytes = arguments.bytes(MAX_INPUT_BYTES);
    return new NetworkBounds(
        arguments.number(
            MAX_CONNECTIONS_PER_ADDRESS, 1, 1_000_000, Math.max(1, connections - connections / 4)),
        inputBytes == 0 ? NetworkBounds.defaults().inputBytes() : inputBytes);
  }

  private static HttpBounds bounds(Arguments arguments) {
    HttpBounds defaults = HttpBounds.defaults();
    return defaults
        .withMaxConnections(connections(arguments))
        .withMaxHeaderBytes(
            arguments.number(
                MAX_HEADER_BYTES,
                HttpBounds.MIN_HEADER_BYTES,
                HttpBounds.MAX_HEADER_BYTES,
                defaults.maxHeaderBytes()))
        .withIdleTimeout(arguments.duration(IDLE_TIMEOUT, defaults.idleTimeout()))
        .withRequestTimeout(arguments.duration(REQUEST_TIMEOUT, defaults.requestTimeout()));
  }

  /** Returns names that are separated by commas or spaces. */
  private static Set<String> names(@Nullable String text) {
    return text == null
        ? Set.of()
        : Arrays.stream(text.toLowerCase(Locale.ROOT).split("[,\\s]+"))
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toUnmodifiableSet());
  }

  private static int connections(Arguments arguments) {
    return arguments.number(MAX_CONNECTIONS, 1, 1_000_000, 20_000);
  }

  private static @Nullable TlsFiles tls(Arguments arguments) {
    String certificate = arguments.text(TLS_CERT);
    String key = arguments.text(TLS_KEY);
    if ((certificate == null) != (key == null)) {
      throw new BadArgumentsException(TLS_CERT + " and " + TLS_KEY + " must be given together");
    }
    String clientCa = arguments.text(TLS_CLIENT_CA);
    if (certificate == null || key == null) {
      if (clientCa != null) {
        throw new BadArgumentsException(TLS_CLIENT_CA + " must be given with " + TLS_CERT);
      }
      return null;
    }
    return new TlsFiles(
        Path.of(certificate), Path.of(key), clientCa == null ? null : Path.of(clientCa));
  }

  private static void stopBySignal(SashServer server) {
    AtomicBoolean stopping = new AtomicBoolean();
    for (String signal : List.of("TERM", "INT")) {
      Signals.on(
          signal,
          () -> {
            if (stopping.getAndSet(true)) {
              Runtime.getRuntime().halt(Main.FAILED); // asked twice: at once
            }
            server.close();
          });
    }
  }

  private static void reload(SashServer server) {
    try {
      server.reload();
    } catch (ConfigurationException e) {
      LOG.debug("said already", e);
    }
  }

  static String welcome(ServerOptions options, SashServer server) {
    String host = options.http().host();
    String url =
        (options.http().tls() == null ? "http" : "https")
            + "://"
            + (host.indexOf(':') < 0 ? host : "[" + host + "]")
            + ":"
            + server.port();
    String policy = server.policies().stream().findFirst().orElse("default");
    String grpc =
        server.grpcPort() == 0
            ? ""
            : "Envoy: gRPC on port " + server.grpcPort() + ", docs/rls.md\n";
    RespOptions respOptions = options.resp();
    String resp =
        respOptions == null
            ? ""
            : "       redis-cli %s-p %d SASH.CHECK %s user:42\n"
                .formatted(respOptions.tls() == null ? "" : "--tls ", server.respPort(), policy);
    return """
    Sash listens on %1$s, with its state %2$s and %3$s.

    Try:   curl -i -d '{"policy": "%4$s", "key": "user:42"}' %1$s/v1/check
    %5$s%6$sMore:  %1$s/openapi.yaml   docs/server.md   Ctrl-C stops it
    """
        .formatted(
            url,
            options.redisUris().isEmpty() ? "in memory" : "in Redis",
            options.configuration() == null
                ? "the default policy, 100 per minute"
                : options.configuration(),
            policy,
            resp,
            grpc);
  }
}
