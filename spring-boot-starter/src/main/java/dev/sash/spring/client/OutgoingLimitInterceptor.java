package dev.sash.spring.client;

import dev.sash.client.OutgoingLimiter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.util.Objects;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Limits the calls of a {@code RestClient} or {@code RestTemplate}. The thread waits until its call
 * is admitted.
 *
 * <p>A call that is not made fails with an {@link dev.sash.client.OutgoingLimitException}. As all
 * exceptions of input and output, {@code RestClient} and {@code RestTemplate} wrap it in a {@code
 * ResourceAccessException}, of which it is the cause. If the thread is interrupted while it waits,
 * the cause is an {@link InterruptedIOException}, and the thread stays interrupted.
 *
 * <p>Interceptors that are added before this one, for example to repeat calls, are around it: each
 * of their calls is limited. Thread-safe.
 */
public final class OutgoingLimitInterceptor implements ClientHttpRequestInterceptor {
  private final OutgoingLimiter limiter;

  /**
   * Creates an interceptor.
   *
   * @param limiter admits the calls
   */
  public OutgoingLimitInterceptor(OutgoingLimiter limiter) {
    this.limiter = Objects.requireNonNull(limiter, "limiter must not be null");
  }

  @Override
  public ClientHttpResponse intercept(
      HttpRequest request, byte[] body, ClientHttpRequestExecution execution) throws IOException {
    URI target = request.getURI();
    try {
      limiter.acquireBlocking(target);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("interrupted while waiting for a call");
      interrupted.initCause(e);
      throw interrupted;
    }
    ClientHttpResponse response = execution.execute(request, body);
    int status;
    try {
      status = response.getStatusCode().value();
    } catch (IOException | RuntimeException e) {
      response.close();
      throw e;
    }
    var unused = limiter.learn(target, status, response.getHeaders()::get);
    return response;
  }
}
