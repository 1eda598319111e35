package dev.sash.examples.shop;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A client that guesses passwords, many at the same time. */
final class BruteForce {
  /** Sends one guess. */
  interface Guess {
    HttpResponse<String> send(int number) throws Exception;
  }

  private static final int PARALLEL = 16;

  private BruteForce() {}

  /** Sends guesses 1 to {@code count}, and returns the responses in this order. */
  static List<HttpResponse<String>> run(int count, Guess guess) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(PARALLEL);
    try {
      List<Callable<HttpResponse<String>>> guesses = new ArrayList<>();
      for (int i = 1; i <= count; i++) {
        int number = i;
        guesses.add(() -> guess.send(number));
      }
      List<HttpResponse<String>> responses = new ArrayList<>();
      for (Future<HttpResponse<String>> response : threads.invokeAll(guesses)) {
        responses.add(response.get());
      }
      return responses;
    } finally {
      threads.shutdownNow();
    }
  }

  /** Returns the responses that say that the password was wrong, by form or by Basic. */
  static List<HttpResponse<String>> wrongPasswords(List<HttpResponse<String>> responses) {
    return responses.stream()
        .filter(r -> r.statusCode() == 401 || leadsTo(r, "/login?error"))
        .toList();
  }

  /** Returns the responses that say nothing about the password. */
  static List<HttpResponse<String>> denied(List<HttpResponse<String>> responses) {
    return responses.stream().filter(r -> r.statusCode() == 429).toList();
  }

  /** Returns whether a response redirects to a path of the shop. */
  static boolean leadsTo(HttpResponse<String> response, String path) {
    return response.statusCode() == 302
        && response.headers().firstValue("Location").orElseThrow().endsWith(path);
  }
}
