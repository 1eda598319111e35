package dev.sash.testkit.redis;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * What one node of a cluster believes of all.
 *
 * @param nodes the nodes that it knows, itself included
 */
record ClusterView(List<ClusterView.Node> nodes) {
  /**
   * A node as another one sees it.
   *
   * @param id its name in the cluster
   * @param port where it listens
   * @param flags its role and its health, separated by commas
   * @param master the name of its master, or a dash
   * @param linked whether the one that sees it is connected to it
   * @param slots what it serves
   */
  record Node(String id, int port, String flags, String master, boolean linked, BitSet slots) {}

  static ClusterView of(RedisServer server) {
    return parsed(String.valueOf(server.command("CLUSTER", "NODES")));
  }

  /** Lines of: id, address, flags, master, ping, pong, epoch, link, and any number of slots. */
  static ClusterView parsed(String lines) {
    List<Node> nodes = new ArrayList<>();
    for (String line : lines.lines().toList()) {
      String[] words = line.split(" ", -1);
      String address = words[1].substring(0, words[1].indexOf('@'));
      BitSet slots = new BitSet();
      for (int i = 8; i < words.length; i++) {
        // In brackets stand those that are on their way to another node or from it.
        if (!words[i].startsWith("[")) {
          String[] range = words[i].split("-", -1);
          slots.set(Integer.parseInt(range[0]), Integer.parseInt(range[range.length - 1]) + 1);
        }
      }
      nodes.add(
          new Node(
              words[0],
              Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)),
              words[2],
              words[3],
              words[7].equals("connected"),
              slots));
    }
    return new ClusterView(List.copyOf(nodes));
  }

  Optional<Node> ownerOf(int slot) {
    return nodes.stream().filter(node -> node.slots.get(slot)).findFirst();
  }

  Optional<Node> at(int port) {
    return nodes.stream().filter(node -> node.port == port).findFirst();
  }
}
