package dev.sash.server.rls;

import dev.sash.config.EnvoyDescriptor;
import dev.sash.server.rls.RlsRequest.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The descriptors of a domain, prepared for look-ups: one for each entry of a request, or a few
 * where values end in an asterisk. Immutable.
 *
 * <p>An entry goes to the descriptor with its key and exactly its value; else to the first in the
 * file with its key and a value that ends in an asterisk and fits; else to the one with its key and
 * no value. There is no way back: what is below another one that would have fitted too is not
 * looked at. A limit holds for requests that end where it stands, not for those with more entries.
 *
 * @param <L> what a limit is made into
 */
final class DescriptorTree<L> {
  private final Map<String, Values<L>> byKey = new HashMap<>();

  /** A place in the tree: perhaps a limit, and what is below. */
  private record Node<L>(@Nullable L limit, DescriptorTree<L> below) {}

  /** A value that ends in an asterisk. */
  private record Prefix<L>(String text, Node<L> node) {}

  /** The descriptors of one key. */
  private static final class Values<L> {
    private final Map<String, Node<L>> exact = new HashMap<>();
    private final List<Prefix<L>> prefixes = new ArrayList<>();
    private @Nullable Node<L> any;

    void put(@Nullable String value, Node<L> node) {
      if (value == null || value.isEmpty()) {
        any = node;
        return;
      }
      exact.put(value, node);
      if (value.endsWith("*")) {
        prefixes.add(new Prefix<>(value.substring(0, value.length() - 1), node));
      }
    }

    @Nullable Node<L> find(String value) {
      Node<L> node = exact.get(value);
      if (node != null) {
        return node;
      }
      for (Prefix<L> prefix : prefixes) {
        if (value.startsWith(prefix.text)) {
          return prefix.node;
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
      Node<L> node = new Node<>(limit, new DescriptorTree<>(descriptor.descriptors(), limits));
      byKey.computeIfAbsent(descriptor.key(), key -> new Values<>()).put(descriptor.value(), node);
    }
  }

  /**
   * The limit of a request.
   *
   * @param entries one or more
   * @return null if there is none
   */
  @Nullable L find(List<Entry> entries) {
    DescriptorTree<L> tree = this;
    Node<L> node = null;
    for (Entry entry : entries) {
      Values<L> values = tree.byKey.get(entry.key());
      node = values == null ? null : values.find(entry.value());
      if (node == null) {
        return null;
      }
      tree = node.below;
    }
    return node == null ? null : node.limit;
  }
}
