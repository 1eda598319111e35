package dev.sash.grpc;

import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;

/** A client's side of a stream of messages there and back. */
final class Talk implements StreamObserver<String> {
  private final List<String> answers = new CopyOnWriteArrayList<>();
  private final CompletableFuture<List<String>> end = new CompletableFuture<>();

  /** Says all of it at once, and hangs up. */
  static Talk begin(EchoServer server, List<String> messages) {
    Talk talk = new Talk();
    StreamObserver<String> requests =
        ClientCalls.asyncBidiStreamingCall(
            server.channel().newCall(EchoServer.TALK, EchoServer.patiently()), talk);
    messages.forEach(requests::onNext);
    requests.onCompleted();
    return talk;
  }

  static List<String> with(EchoServer server, List<String> messages) {
    return begin(server, messages).await();
  }

  /** What was answered until the end. */
  List<String> await() {
    try {
      return end.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }

  @Override
  public void onNext(String answer) {
    answers.add(answer);
  }

  @Override
  public void onError(Throwable failure) {
    end.completeExceptionally(failure);
  }

  @Override
  public void onCompleted() {
    end.complete(answers);
  }
}
