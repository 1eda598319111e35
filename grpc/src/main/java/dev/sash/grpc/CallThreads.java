package dev.sash.grpc;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * The threads that start calls whose decision was not available at once. Handlers may block them,
 * like those of gRPC itself.
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
