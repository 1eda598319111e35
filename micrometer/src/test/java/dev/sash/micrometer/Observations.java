package dev.sash.micrometer;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A registry of observations that remembers them. */
final class Observations implements ObservationHandler<Observation.Context> {
  private final ObservationRegistry registry = ObservationRegistry.create();
  private final List<Observation.Context> started = new CopyOnWriteArrayList<>();
  private final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();

  Observations() {
    registry.observationConfig().observationHandler(this);
  }

  ObservationRegistry registry() {
    return registry;
  }

  List<Observation.Context> started() {
    return started;
  }

  List<Observation.Context> stopped() {
    return stopped;
  }

  /** The only one there was, and it is over. */
  Observation.Context only() {
    if (started.size() != 1 || stopped.size() != 1) {
      throw new AssertionError("started " + started + ", stopped " + stopped);
    }
    return stopped.get(0);
  }

  static Map<String, String> keysOf(Observation.Context context) {
    Map<String, String> keys = new TreeMap<>();
    for (KeyValue key : context.getAllKeyValues()) {
      keys.put(key.getKey(), key.getValue());
    }
    return keys;
  }

  @Override
  public void onStart(Observation.Context context) {
    started.add(context);
  }

  @Override
  public void onStop(Observation.Context context) {
    stopped.add(context);
  }

  @Override
  public boolean supportsContext(Observation.Context context) {
    return true;
  }
}
