package dev.sash.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A page that is not complete until the test says so. */
@RestController
class SlowPage {
  private final Semaphore requests = new Semaphore(0);
  private final CompletableFuture<String> content = new CompletableFuture<>();

  @GetMapping("/slow")
  CompletableFuture<String> slow() {
    requests.release();
    return content;
  }

  /** Waits for one more request. */
  void awaitRequests(int count) throws InterruptedException {
    if (!requests.tryAcquire(30, TimeUnit.SECONDS)) {
      throw new AssertionError("request " + count + " did not arrive");
    }
  }

  void release() {
    content.complete("slow");
  }
}
