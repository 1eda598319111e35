package dev.sash.testkit.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * A slot of a {@link RedisCluster} on its way from one master to another.
 *
 * <p>Until it {@linkplain #finish has moved}, clients that ask the old master for a key that is not
 * there are sent on by {@code ASK}; afterwards, for any key of the slot, by {@code MOVED}.
 *
 * <p>Not thread-safe.
 */
public final class SlotMigration {
  private static final int BATCH = 100;
  private static final String TIMEOUT_MILLIS = "5000";

  private final RedisCluster cluster;
  private final int slot;
  private final RedisServer from;
  private final RedisServer to;

  SlotMigration(RedisCluster cluster, int slot, RedisServer from, RedisServer to) {
    this.cluster = cluster;
    this.slot = slot;
    this.from = from;
    this.to = to;
    // In this order: the old master must not send anyone to where nobody is expected.
    setSlot(to, "IMPORTING", RedisCluster.idOf(from));
    setSlot(from, "MIGRATING", RedisCluster.idOf(to));
  }

  /**
   * The master that gives the slot away.
   *
   * @return the old one
   */
  public RedisServer from() {
    return from;
  }

  /**
   * The master that gets the slot.
   *
   * @return the new one
   */
  public RedisServer to() {
    return to;
  }

  /** Moves the keys that are in the slot now, some at a time. */
  public void moveKeys() {
    for (List<?> keys = keys(BATCH); !keys.isEmpty(); keys = keys(BATCH)) {
      move(keys);
    }
  }

  /**
   * Moves some of the keys that are in the slot now: the others stay behind.
   *
   * @param most how many
   */
  public void moveKeys(int most) {
    move(keys(most));
  }

  private void move(List<?> keys) {
    List<String> command =
        new ArrayList<>(
            List.of("MIGRATE", to.host(), String.valueOf(to.port()), "", "0", TIMEOUT_MILLIS));
    command.addAll(
        List.of("AUTH2", RedisServer.CONTROL_USER, RedisServer.CONTROL_PASSWORD, "KEYS"));
    keys.forEach(key -> command.add((String) key));
    from.command(command.toArray(String[]::new));
  }

  /** Moves what is left, gives the slot to its new master, and waits until every node knows. */
  public void finish() {
    moveKeys();
    String id = RedisCluster.idOf(to);
    // First the new master, then the old: else nobody would serve the slot for a moment.
    setSlot(to, "NODE", id);
    setSlot(from, "NODE", id);
    cluster.awaitOwner(slot, to);
  }

  private List<?> keys(int most) {
    return Resp.list(
        from.command("CLUSTER", "GETKEYSINSLOT", String.valueOf(slot), String.valueOf(most)));
  }

  private void setSlot(RedisServer node, String state, String id) {
    node.command("CLUSTER", "SETSLOT", String.valueOf(slot), state, id);
  }

  @Override
  public String toString() {
    return "slot %d from %s to %s".formatted(slot, from, to);
  }
}
