package dev.sash.testkit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A Redis Cluster of three masters with a third of the slots each, and a replica of every master,
 * that takes over when its master was silent for a second and a half.
 *
 * <pre>{@code
 * try (RedisCluster cluster = RedisCluster.start()) {
 *   RedisClusterClient client =
 *       RedisClusterClient.create(cluster.uris().stream().map(RedisURI::create).toList());
 *   cluster.failover(cluster.masterOf("key"));
 * }
 * }</pre>
 *
 * <p>Any thread may ask; only one at a time may change the cluster.
 */
public final class RedisCluster implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final List<RedisServer> nodes = new ArrayList<>();

  private RedisCluster() {}

  /**
   * Starts a cluster of the {@linkplain RedisBinary#chosen chosen} servers.
   *
   * @param directives lines of the configuration of every node
   * @return a cluster that serves all slots, with replicas in sync
   */
  public static RedisCluster start(String... directives) {
    return start(RedisBinary.chosen(), directives);
  }

  /**
   * Starts a cluster.
   *
   * @param binary what to run
   * @param directives lines of the configuration of every node
   * @return a cluster that serves all slots, with replicas in sync
   */
  public static RedisCluster start(RedisBinary binary, String... directives) {
    RedisCluster cluster = new RedisCluster();
    try {
      for (int i = 0; i < 2 * ClusterFormation.MASTERS; i++) {
        cluster.nodes.add(ClusterFormation.startNode(binary, directives));
      }
      new ClusterFormation(cluster.nodes, LIMIT).join();
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /**
   * Which slot a key belongs to.
   *
   * @param key the key; if it has a part in braces, only that counts
   * @return 0 to 16383
   */
  public static int slotOf(String key) {
    return HashSlot.of(key);
  }

  /**
   * All nodes, also those that are down.
   *
   * @return first the three that were masters at the start, then the replica of each
   */
  public List<RedisServer> nodes() {
    return List.copyOf(nodes);
  }

  /**
   * The addresses of all nodes.
   *
   * @return {@code redis://host:port} of each
   */
  public List<String> uris() {
    return nodes.stream().map(RedisServer::uri).toList();
  }

  /**
   * Who serves a slot now.
   *
   * @param slot 0 to 16383
   * @return its master, by what the first node says that is up
   */
  public RedisServer masterOf(int slot) {
    RedisServer asked = anyUp();
    return ownerSeenBy(asked, slot)
        .orElseThrow(
            () ->
                new IllegalStateException("%s knows no master of slot %d".formatted(asked, slot)));
  }

  /**
   * Who serves a key now.
   *
   * @param key the key
   * @return the master of its slot
   */
  public RedisServer masterOf(String key) {
    return masterOf(slotOf(key));
  }

  /**
   * Who serves any slot now.
   *
   * @return the masters, by what the first node says that is up
   */
  public List<RedisServer> masters() {
    return ClusterView.of(anyUp()).nodes().stream()
        .filter(node -> !node.slots().isEmpty())
        .flatMap(node -> nodeAt(node.port()).stream())
        .toList();
  }

  /**
   * Moves a slot with its keys to another master, and waits until every node knows.
   *
   * @param slot 0 to 16383
   * @param to a master that does not serve it yet
   */
  public void migrate(int slot, RedisServer to) {
    startMigration(slot, to).finish();
  }

  /**
   * Begins to move a slot, to see what clients do half-way.
   *
   * @param slot 0 to 16383
   * @param to a master that does not serve it yet
   * @return what goes on with it
   */
  public SlotMigration startMigration(int slot, RedisServer to) {
    return new SlotMigration(this, slot, masterOf(slot), to);
  }

  /**
   * Kills a master and waits until its replica has taken over.
   *
   * @param master a node that serves slots
   * @return the new master
   * @throws IllegalArgumentException if the node serves none
   */
  public RedisServer failover(RedisServer master) {
    BitSet slots = ClusterView.of(master).at(master.port()).orElseThrow().slots();
    if (slots.isEmpty()) {
      throw new IllegalArgumentException("master must serve slots, was " + master);
    }
    master.kill();
    return awaitSuccessorOf(master, slots.nextSetBit(0));
  }

  /**
   * Waits until a master that was killed or paused is no longer the master of a slot, by what every
   * node that is up says, and the cluster serves all slots again.
   *
   * @param old the master that was
   * @param slot a slot that it served
   * @return the new master
   */
  public RedisServer awaitSuccessorOf(RedisServer old, int slot) {
    Waiting.until(
        "a master of slot %d other than %s".formatted(slot, old),
        LIMIT,
        () -> {
          RedisServer owner = masterOf(slot);
          return owner.equals(old) ? "still the old one" : missingToOwn(slot, owner);
        });
    return masterOf(slot);
  }

  void awaitOwner(int slot, RedisServer owner) {
    Waiting.until(
        "%s serves slot %d".formatted(owner, slot), LIMIT, () -> missingToOwn(slot, owner));
  }

  static String idOf(RedisServer node) {
    return String.valueOf(node.command("CLUSTER", "MYID"));
  }

  @Override
  public void close() {
    nodes.forEach(RedisServer::close);
  }

  @Override
  public String toString() {
    return "cluster of " + nodes;
  }

  private String missingToOwn(int slot, RedisServer owner) {
    for (RedisServer node : up().toList()) {
      Optional<RedisServer> seen = ownerSeenBy(node, slot);
      if (!seen.equals(Optional.of(owner))) {
        return "%s thinks of %s".formatted(node, seen);
      }
      String state = missingState(node);
      if (!state.isEmpty()) {
        return state;
      }
    }
    return "";
  }

  /** What keeps a node from serving, empty if nothing does. */
  static String missingState(RedisServer node) {
    String state = RedisServer.field(node.command("CLUSTER", "INFO"), "cluster_state");
    return state.equals("ok") ? "" : "%s says cluster_state:%s".formatted(node, state);
  }

  private Optional<RedisServer> ownerSeenBy(RedisServer node, int slot) {
    return ClusterView.of(node).ownerOf(slot).flatMap(owner -> nodeAt(owner.port()));
  }

  private Optional<RedisServer> nodeAt(int port) {
    return nodes.stream().filter(node -> node.port() == port).findFirst();
  }

  private RedisServer anyUp() {
    return up().findFirst().orElseThrow(() -> new IllegalStateException("all nodes are down"));
  }

  private Stream<RedisServer> up() {
    return nodes.stream().filter(RedisServer::isUp);
  }
}
