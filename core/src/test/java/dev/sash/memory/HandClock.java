package dev.sash.memory;

import dev.sash.MicroClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A clock moved by hand; the test kit's own depends on this module. */
final class HandClock implements MicroClock {
  private record Alarm(long atMicros, CompletableFuture<Void> future) {}

  private final List<Alarm> alarms = new ArrayList<>();
  private long micros;

  @Override
  public synchronized long micros() {
    return micros;
  }

  @Override
  public synchronized CompletableFuture<Void> after(long byMicros) {
    Alarm alarm = new Alarm(micros + byMicros, new CompletableFuture<>());
    alarms.add(alarm);
    return alarm.future;
  }

  void set(long newMicros) {
    List<Alarm> due = new ArrayList<>();
    synchronized (this) {
      micros = newMicros;
      alarms.removeIf(alarm -> alarm.atMicros <= newMicros && due.add(alarm));
    }
    due.forEach(alarm -> alarm.future.complete(null));
  }

  void advance(long byMicros) {
    set(micros() + byMicros);
  }

  synchronized int alarms() {
    return alarms.size();
  }
}
