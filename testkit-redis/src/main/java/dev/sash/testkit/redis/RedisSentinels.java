package dev.sash.testkit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A master with replicas, watched by three sentinels, two of which decide that it is down after a
 * second of silence and promote a replica.
 *
 * <pre>{@code
 * try (RedisSentinels sentinels = RedisSentinels.start()) {
 *   RedisClient client = RedisClient.create(sentinels.uri());
 *   sentinels.failover();
 * }
 * }</pre>
 *
 * <p>Any thread may ask; only one at a time may fail over or close.
 */
public final class RedisSentinels implements AutoCloseable {
  private static final String NAME = "sash";
  private static final int SENTINELS = 3;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final List<RedisServer> servers = new ArrayList<>();
  private final List<RedisServer> sentinels = new ArrayList<>();

  private RedisSentinels() {}

  /**
   * Starts the {@linkplain RedisBinary#chosen chosen} servers with one replica.
   *
   * @param directives lines of the configuration of master and replica
   * @return a replica in sync and sentinels that know each other
   */
  public static RedisSentinels start(String... directives) {
    return start(RedisBinary.chosen(), 1, directives);
  }

  /**
   * Starts servers.
   *
   * @param binary what to run
   * @param replicas how many, at least 1
   * @param directives lines of the configuration of master and replicas
   * @return replicas in sync and sentinels that know each other
   */
  public static RedisSentinels start(RedisBinary binary, int replicas, String... directives) {
    if (replicas < 1) {
      throw new IllegalArgumentException("replicas must be at least 1, was " + replicas);
    }
    RedisSentinels started = new RedisSentinels();
    try {
      started.startServers(binary, replicas, directives);
      started.startSentinels(binary);
      return started;
    } catch (RuntimeException e) {
      started.close();
      throw e;
    }
  }

  /**
   * What the sentinels call the master.
   *
   * @return the name
   */
  public String masterName() {
    return NAME;
  }

  /**
   * The address of the sentinels with the name of the master, as Lettuce reads it.
   *
   * @return {@code redis-sentinel://host:port,host:port,host:port#name}
   */
  public String uri() {
    return sentinels.stream()
        .map(sentinel -> sentinel.host() + ":" + sentinel.port())
        .collect(Collectors.joining(",", "redis-sentinel://", "#" + NAME));
  }

  /**
   * The master and the replicas, whoever is which now.
   *
   * @return the servers; first the one that was the master at the start
   */
  public List<RedisServer> servers() {
    return List.copyOf(servers);
  }

  /**
   * The sentinels. They take commands too, and may be paused or killed.
   *
   * @return three servers
   */
  public List<RedisServer> sentinels() {
    return List.copyOf(sentinels);
  }

  /**
   * The master that the sentinels name now, even if it is down.
   *
   * @return one of the servers
   * @throws IllegalStateException if all sentinels are down
   */
  public RedisServer master() {
    return masterOf(
        sentinels.stream()
            .filter(RedisServer::isUp)
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("all sentinels are down")));
  }

  /**
   * Kills the master and waits until another is promoted.
   *
   * @return the new master
   */
  public RedisServer failover() {
    RedisServer old = master();
    old.kill();
    return awaitSuccessorOf(old);
  }

  /**
   * Waits until a master that was killed or paused is no longer the master, by what every sentinel
   * that is up says, and another one acts as the master.
   *
   * @param old the master that was
   * @return the new master
   */
  public RedisServer awaitSuccessorOf(RedisServer old) {
    Waiting.until("a master other than " + old, LIMIT, () -> missingToSucceed(old));
    return master();
  }

  @Override
  public void close() {
    // Sentinels first, so that they do not start to promote.
    sentinels.forEach(RedisServer::close);
    servers.forEach(RedisServer::close);
  }

  @Override
  public String toString() {
    return "sentinels %s of %s".formatted(sentinels, servers);
  }

  private void startServers(RedisBinary binary, int replicas, String... directives) {
    RedisServer master = builder(binary).directives(directives).start();
    servers.add(master);
    for (int i = 0; i < replicas; i++) {
      servers.add(
          builder(binary)
              .directives("replicaof %s %d".formatted(master.host(), master.port()))
              .directives(directives)
              .start());
    }
    // Sentinels that find a replica missing at their first look come again only after 10 seconds.
    for (RedisServer replica : servers.subList(1, servers.size())) {
      Waiting.until(replica + " is in sync", LIMIT, () -> missingToFollow(replica));
    }
  }

  private void startSentinels(RedisBinary binary) {
    RedisServer master = servers.get(0);
    for (int i = 0; i < SENTINELS; i++) {
      sentinels.add(
          RedisServer.builder()
              .sentinel()
              .binary(binary)
              .directives(
                  "sentinel monitor %s %s %d 2".formatted(NAME, master.host(), master.port()),
                  "sentinel auth-user %s %s".formatted(NAME, RedisServer.CONTROL_USER),
                  "sentinel auth-pass %s %s".formatted(NAME, RedisServer.CONTROL_PASSWORD),
                  "sentinel down-after-milliseconds %s 1000".formatted(NAME),
                  "sentinel failover-timeout %s 5000".formatted(NAME))
              .start());
    }
    for (RedisServer sentinel : sentinels) {
      Waiting.until(sentinel + " knows all others", LIMIT, () -> missingToWatch(sentinel));
    }
  }

  private static String missingToFollow(RedisServer replica) {
    String link = replica.info("master_link_status");
    return link.equals("up") ? "" : "link to the master: " + link;
  }

  private String missingToWatch(RedisServer sentinel) {
    Map<String, Object> master = fields(sentinel.command("SENTINEL", "MASTER", NAME));
    String seen =
        watched(master.get("flags"), master.get("num-slaves"), master.get("num-other-sentinels"));
    if (!seen.equals(watched("master", servers.size() - 1, SENTINELS - 1))) {
      return seen;
    }
    for (Object each : Resp.list(sentinel.command("SENTINEL", "REPLICAS", NAME))) {
      Map<String, Object> replica = fields(each);
      // One whose link it has not seen up would not be promoted.
      if (!"ok".equals(replica.get("master-link-status"))) {
        return "replica " + replica;
      }
    }
    return "";
  }

  private static String watched(
      @Nullable Object flags, @Nullable Object replicas, @Nullable Object others) {
    return "%s with %s replicas and %s other sentinels".formatted(flags, replicas, others);
  }

  private String missingToSucceed(RedisServer old) {
    List<RedisServer> named =
        sentinels.stream().filter(RedisServer::isUp).map(this::masterOf).distinct().toList();
    if (named.size() != 1 || named.contains(old)) {
      return "the sentinels name " + named;
    }
    String role = named.get(0).info("role");
    return role.equals("master") ? "" : "%s is a %s".formatted(named.get(0), role);
  }

  private RedisServer masterOf(RedisServer sentinel) {
    Object address = sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME);
    return servers.stream()
        .filter(server -> List.of(server.host(), String.valueOf(server.port())).equals(address))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(sentinel + " names a stranger: " + address));
  }

  /** A list of names and values in turn. */
  private static Map<String, Object> fields(@Nullable Object reply) {
    List<?> list = Resp.list(reply);
    Map<String, Object> fields = new HashMap<>();
    for (int i = 0; i < list.size(); i += 2) {
      fields.put((String) list.get(i), list.get(i + 1));
    }
    return fields;
  }

  private static RedisServerBuilder builder(RedisBinary binary) {
    return RedisServer.builder()
        .binary(binary)
        .directives(
            "masteruser " + RedisServer.CONTROL_USER, "masterauth " + RedisServer.CONTROL_PASSWORD);
  }
}
