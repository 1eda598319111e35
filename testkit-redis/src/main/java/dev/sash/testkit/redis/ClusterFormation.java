package dev.sash.testkit.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Makes a cluster of nodes that do not know each other: the first half are the masters, the second
 * half their replicas.
 */
final class ClusterFormation {
  static final int MASTERS = 3;

  private final List<RedisServer> nodes;
  private final List<String> ids;
  private final Duration limit;

  ClusterFormation(List<RedisServer> nodes, Duration limit) {
    this.nodes = nodes;
    this.limit = limit;
    ids = nodes.stream().map(RedisCluster::idOf).toList();
  }

  static RedisServer startNode(RedisBinary binary, String... directives) {
    return RedisServer.builder()
        .binary(binary)
        .directives(
            "cluster-enabled yes",
            "cluster-node-timeout 1500",
            // Else a node does not know its own address before another has told it.
            "cluster-announce-ip " + RedisServer.HOST,
            // Else a replica that has waited for long would not take over.
            "cluster-replica-validity-factor 0",
            "masteruser " + RedisServer.CONTROL_USER,
            "masterauth " + RedisServer.CONTROL_PASSWORD)
        .directives(directives)
        .start();
  }

  void join() {
    for (int i = 0; i < nodes.size(); i++) {
      // Different epochs from the start: else the nodes would first have to settle who is older.
      nodes.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", String.valueOf(i + 1));
    }
    for (int i = 0; i < MASTERS; i++) {
      nodes.get(i).command(addSlots(i));
    }
    for (int i = 0; i < nodes.size(); i++) {
      for (RedisServer later : nodes.subList(i + 1, nodes.size())) {
        // Each pair: hearsay would do, but takes longer.
        nodes.get(i).command("CLUSTER", "MEET", later.host(), String.valueOf(later.port()));
      }
    }
    for (int i = MASTERS; i < nodes.size(); i++) {
      RedisServer replica = nodes.get(i);
      String master = ids.get(i - MASTERS);
      // An error until it has met the master.
      Waiting.until(
          "%s follows %s".formatted(replica, master),
          limit,
          () -> "OK".equals(replica.command("CLUSTER", "REPLICATE", master)) ? "" : "not OK");
    }
    for (RedisServer node : nodes) {
      Waiting.until(node + " knows a whole cluster", limit, () -> missingToServe(node));
    }
  }

  private static String[] addSlots(int master) {
    return Stream.concat(
            Stream.of("CLUSTER", "ADDSLOTS"),
            IntStream.range(firstSlot(master), firstSlot(master + 1)).mapToObj(String::valueOf))
        .toArray(String[]::new);
  }

  private static int firstSlot(int master) {
    return master * HashSlot.COUNT / MASTERS;
  }

  private String missingToServe(RedisServer node) {
    ClusterView view = ClusterView.of(node);
    for (int i = 0; i < nodes.size(); i++) {
      boolean replica = i >= MASTERS;
      String role = replica ? "slave" : "master";
      String master = replica ? ids.get(i - MASTERS) : "-";
      int slots = replica ? 0 : firstSlot(i + 1) - firstSlot(i);
      boolean known =
          view.at(nodes.get(i).port())
              .filter(seen -> seen.linked() && seen.flags().replace("myself,", "").equals(role))
              .filter(seen -> seen.master().equals(master) && seen.slots().cardinality() == slots)
              .isPresent();
      if (!known) {
        return "%s is not yet a %s in %s".formatted(nodes.get(i), role, view);
      }
    }
    String link = node.info("master_link_status");
    // Empty on a master.
    return link.equals("down") ? "link to the master: down" : RedisCluster.missingState(node);
  }
}
