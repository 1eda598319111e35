package dev.sash.server.rls.domain;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts hits by descriptor: {@code sash.rls.hits}, by domain, descriptor and outcome.
 *
 * <p>Descriptors are named as in the files. With {@code detailed_metric} or {@code value_to_metric}
 * names have values of requests too. Anybody can send new ones, so only a bounded number of such
 * names has counters of its own; beyond it, and for names that are too long, hits count under the
 * name that is in the file. Thread-safe.
 */
public final class DescriptorMeters {
  /** How many names with values of requests have counters of their own. */
  static final int MOST_WITH_REQUEST_VALUES = 1_000;

  private static final int LONGEST_NAME = 256;

  private final MeterRegistry registry;
  private final Map<Name, Hits> byName = new ConcurrentHashMap<>();
  private final AtomicInteger withRequestValues = new AtomicInteger();

  /** A descriptor of a domain. */
  private record Name(String domain, String descriptor) {}

  /** Creates meters in a registry. */
  public DescriptorMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** The counters of a descriptor as the file names it. */
  Hits configured(String domain, String descriptor) {
    return byName.computeIfAbsent(new Name(domain, descriptor), Hits::new);
  }

  /**
   * The counters of a descriptor with values of a request.
   *
   * @param otherwise the counters to use if there is no room
   */
  Hits requested(String domain, String descriptor, Hits otherwise) {
    Name name = new Name(domain, descriptor);
    Hits known = byName.get(name);
    if (known != null) {
      return known;
    }
    if (descriptor.length() > LONGEST_NAME || !reserve()) {
      return otherwise;
    }
    Hits added = new Hits(name);
    Hits before = byName.putIfAbsent(name, added);
    if (before != null) {
      withRequestValues.decrementAndGet();
      return before;
    }
    return added;
  }

  private boolean reserve() {
    return withRequestValues.getAndUpdate(n -> Math.min(n + 1, MOST_WITH_REQUEST_VALUES))
        < MOST_WITH_REQUEST_VALUES;
  }

  /** The counters of one descriptor. */
  final class Hits {
    private final Counter allowed;
    private final Counter denied;
    private final Counter shadow;

    private Hits(Name name) {
      allowed = counter(name, "allowed");
      denied = counter(name, "denied");
      shadow = counter(name, "shadow");
    }

    private Counter counter(Name name, String outcome) {
      return Counter.builder("sash.rls.hits")
          .description("Hits of Envoy's requests by descriptor")
          .tag("domain", name.domain)
          .tag("descriptor", name.descriptor)
          .tag("outcome", outcome)
          .register(registry);
    }

    /**
     * Counts hits.
     *
     * @param fits whether the limit allows them
     * @param overLimit whether the response to Envoy is that it does not
     */
    void count(long hits, boolean fits, boolean overLimit) {
      (fits ? allowed : overLimit ? denied : shadow).increment((double) hits);
    }
  }
}
