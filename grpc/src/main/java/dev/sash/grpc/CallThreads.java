package dev.sash.grpc;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * The threads for calls whose decision came late; like those of gRPC itself, handlers may block
 * them.
 */
final class CallThreads {
  static final Executor SHARED =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "sash-grpc");
            thread.setDaemon(true);
            return thread;
          });

  private CallThreads() {}
}
