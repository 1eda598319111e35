package dev.sash.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class AddressConnectionsTest {
  private final AddressConnections connections = new AddressConnections(2);

  @Test
  void boundsTheConnectionsOfAnAddress() {
    PeerAddress one = PeerAddress.of("192.0.2.1");
    assertThat(connections.opened(one)).isTrue();
    assertThat(connections.opened(PeerAddress.of("::ffff:192.0.2.1"))).isTrue();
    assertThat(connections.opened(one)).isFalse();
    assertThat(connections.opened(PeerAddress.of("192.0.2.2"))).isTrue();
    connections.closed(one);
    assertThat(connections.opened(one)).isTrue();
    assertThat(connections.opened(one)).isFalse();
  }

  @Test
  void takesAnIpv6NetworkOf64BitsForOneAddress() {
    assertThat(connections.opened(PeerAddress.of("2001:db8:0:1::1"))).isTrue();
    assertThat(connections.opened(PeerAddress.of("2001:db8:0:1:ffff::2"))).isTrue();
    assertThat(connections.opened(PeerAddress.of("2001:db8:0:1::3%eth0"))).isFalse();
    assertThat(connections.opened(PeerAddress.of("2001:db8:0:2::1"))).isTrue();
  }

  @Test
  void forgetsAddressesWithoutConnections() {
    for (int i = 0; i < 256; i++) {
      PeerAddress peer = PeerAddress.of("192.0.2." + i);
      assertThat(connections.opened(peer)).isTrue();
      connections.closed(peer);
    }
    assertThat(connections.networks()).isZero();
  }

  @Test
  void refusesABoundOfNothing() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new AddressConnections(0))
        .withMessage("max must be 1 or more, was 0");
  }

  @RepeatedTest(20)
  void countsExactlyWithManyThreads() throws Exception {
    AddressConnections many = new AddressConnections(500);
    PeerAddress peer = PeerAddress.of("192.0.2.1");
    ExecutorService pool = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Integer>> members = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        members.add(
            () -> {
              int opened = 0;
              for (int round = 0; round < 1_000; round++) {
                opened += many.opened(peer) ? 1 : 0;
              }
              return opened;
            });
      }
      int opened = 0;
      for (Future<Integer> member : pool.invokeAll(members)) {
        opened += member.get();
      }
      assertThat(opened).isEqualTo(500);
    } finally {
      pool.shutdown();
    }
  }

  @Test
  void knowsThisMachine() {
    for (String here : new String[] {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"}) {
      assertThat(PeerAddress.of(here).isLoopback()).as(here).isTrue();
    }
    for (String other : new String[] {"192.0.2.1", "::2", "fe80::1%lo", "localhost", ""}) {
      assertThat(PeerAddress.of(other).isLoopback()).as(other).isFalse();
    }
    assertThat(PeerAddress.of(null).isLoopback()).isFalse();
    assertThat(PeerAddress.of(null).text()).isEmpty();
  }
}
