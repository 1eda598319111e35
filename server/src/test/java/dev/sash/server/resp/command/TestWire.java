package dev.sash.server.resp.command;

import dev.sash.server.net.PeerAddress;
import dev.sash.server.resp.codec.ReplyReader;
import dev.sash.server.resp.codec.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** A wire to a client that exists only in a test. */
final class TestWire implements Wire {
  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  int sends;
  Runnable onSend = () -> {};
  boolean full;
  boolean paused;
  boolean outputEnded;
  boolean closed;
  String peer = "127.0.0.1";

  /** What was sent since the last call. */
  List<@Nullable Object> replies() {
    try {
      List<@Nullable Object> replies = ReplyReader.all(sent.toByteArray());
      sent.reset();
      return replies;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs what was to be run soon, and tells how much that was. */
  int runTasks() {
    int count = 0;
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
      count++;
    }
    return count;
  }

  @Override
  public void send(byte[] bytes, int length) {
    sends++;
    sent.write(bytes, 0, length);
    onSend.run();
  }

  @Override
  public boolean isFull() {
    return full;
  }

  @Override
  public void pause() {
    paused = true;
  }

  @Override
  public void resume() {
    paused = false;
  }

  @Override
  public void endOutput() {
    outputEnded = true;
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public void soon(Runnable task) {
    tasks.add(task);
  }

  @Override
  public PeerAddress peer() {
    return PeerAddress.of(peer);
  }
}
