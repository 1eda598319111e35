package dev.sash.server.rls.domain;

import dev.sash.server.rls.domain.DescriptorTree.Step;
import dev.sash.server.rls.wire.RlsRequest.Entry;
import java.util.List;

/**
 * What metrics call a descriptor, in the form of envoyproxy/ratelimit: {@code
 * route_/api/*.method_GET.user}.
 *
 * @param text the name
 * @param hasRequestValues whether it has values that are not in the file
 */
record MetricPath(String text, boolean hasRequestValues) {
  /**
   * The name of a descriptor.
   *
   * @param entries the entries of the request
   * @param path what matched each of them
   * @param detailed whether to have all values of the request
   * @param configured whether to have only values that are in the file
   */
  static MetricPath of(List<Entry> entries, List<Step> path, boolean detailed, boolean configured) {
    StringBuilder text = new StringBuilder();
    boolean hasRequestValues = false;
    for (int i = 0; i < path.size(); i++) {
      Entry entry = entries.get(i);
      Step step = path.get(i);
      String value = step.pattern();
      boolean told = !configured && !step.shared() && (detailed || step.valueToMetric());
      if (told && !entry.value().equals(value)) {
        hasRequestValues = true;
        value = entry.value();
      }
      text.append(i == 0 ? "" : ".").append(entry.key());
      if (value != null && !value.isEmpty()) {
        text.append('_').append(value);
      }
    }
    return new MetricPath(text.toString(), hasRequestValues);
  }
}
