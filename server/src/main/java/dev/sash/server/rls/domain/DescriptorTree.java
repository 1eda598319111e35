package dev.sash.server.rls.domain;

import dev.sash.config.envoy.EnvoyDescriptor;
import dev.sash.config.envoy.EnvoyOption;
import dev.sash.server.rls.wire.RlsRequest.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The descriptors of a domain, prepared for look-ups: one for each entry of a request, or a few
 * where values have asterisks. Immutable.
 *
 * <p>An entry goes to the descriptor with its key and exactly its value; else to the first in the
 * file with its key and a value with asterisks that fits; else to the one with its key and no
 * value. There is no way back: what is below another one that would have fitted too is not looked
 * at. A limit holds for requests that end where it stands, not for those with more entries.
 *
 * @param <L> what a limit is made into
 */
final class DescriptorTree<L> {
  private final Map<String, Values<L>> byKey = new HashMap<>();

  /**
   * What matched an entry of a request.
   *
   * @param pattern the value in the file; null if it has none
   * @param shared whether all values that the pattern matches share one count
   * @param valueToMetric whether metrics have the entry's value
   */
  record Step(@Nullable String pattern, boolean shared, boolean valueToMetric) {
    private static Step of(EnvoyDescriptor descriptor) {
      return new Step(
          descriptor.value(),
          descriptor.has(EnvoyOption.SHARE_THRESHOLD),
          descriptor.has(EnvoyOption.VALUE_TO_METRIC));
    }

    /** The value under which an entry is counted. */
    String counted(Entry entry) {
      return shared && pattern != null ? pattern : entry.value();
    }
  }

  /**
   * What holds for a request.
   *
   * @param limit the limit
   * @param path what matched each entry
   */
  record Found<L>(L limit, List<Step> path) {}

  /** A place in the tree: perhaps a limit, and what is below. */
  private record Node<L>(Step step, @Nullable L limit, DescriptorTree<L> below) {}

  /** A value with asterisks. */
  private record Pattern<L>(Wildcard wildcard, Node<L> node) {}

  /** The descriptors of one key. */
  private static final class Values<L> {
    private final Map<String, Node<L>> exact = new HashMap<>();
    private final List<Pattern<L>> patterns = new ArrayList<>();
    private @Nullable Node<L> any;

    void put(@Nullable String value, Node<L> node) {
      if (value == null || value.isEmpty()) {
        any = node;
        return;
      }
      exact.put(value, node);
      if (Wildcard.isWildcard(value)) {
        patterns.add(new Pattern<>(Wildcard.of(value), node));
      }
    }

    @Nullable Node<L> find(String value) {
      Node<L> node = exact.get(value);
      if (node != null) {
        return node;
      }
      for (Pattern<L> pattern : patterns) {
        if (pattern.wildcard.matches(value)) {
          return pattern.node;
        }
      }
      return any;
    }
  }

  /**
   * A tree.
   *
   * @param descriptors as configured
   * @param limits makes something of a descriptor with a limit
   */
  DescriptorTree(List<EnvoyDescriptor> descriptors, Function<EnvoyDescriptor, L> limits) {
    for (EnvoyDescriptor descriptor : descriptors) {
      L limit = descriptor.limit() == null ? null : limits.apply(descriptor);
      DescriptorTree<L> below = new DescriptorTree<>(descriptor.descriptors(), limits);
      Node<L> node = new Node<>(Step.of(descriptor), limit, below);
      byKey.computeIfAbsent(descriptor.key(), key -> new Values<>()).put(descriptor.value(), node);
    }
  }

  /**
   * The limit of a request.
   *
   * @param entries one or more
   * @return null if there is none
   */
  @Nullable Found<L> find(List<Entry> entries) {
    DescriptorTree<L> tree = this;
    List<Step> path = new ArrayList<>(entries.size());
    L limit = null;
    for (Entry entry : entries) {
      Values<L> values = tree.byKey.get(entry.key());
      Node<L> node = values == null ? null : values.find(entry.value());
      if (node == null) {
        return null;
      }
      path.add(node.step);
      limit = node.limit;
      tree = node.below;
    }
    return limit == null ? null : new Found<>(limit, path);
  }
}
