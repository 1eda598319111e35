package dev.sash.benchmarks.application;

import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Bucket4j as many applications have it: a filter of their own, a map of buckets, two header
 * fields. Nothing removes idle buckets, and it knows one path, one key and one limit.
 */
@Component
@Profile("bucket4j-filter")
class Bucket4jFilter extends OncePerRequestFilter {
  private final Map<String, Bucket> buckets = new ConcurrentHashMap<>();
  private final long permits;

  Bucket4jFilter(@Value("${benchmark.permits}") long permits) {
    this.permits = permits;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String key = request.getHeader("X-Api-Key");
    if (key == null || !request.getRequestURI().startsWith("/api/")) {
      chain.doFilter(request, response);
      return;
    }
    ConsumptionProbe probe =
        buckets.computeIfAbsent(key, unused -> newBucket()).tryConsumeAndReturnRemaining(1);
    response.setHeader("X-RateLimit-Limit", Long.toString(permits));
    response.setHeader("X-RateLimit-Remaining", Long.toString(probe.getRemainingTokens()));
    if (probe.isConsumed()) {
      chain.doFilter(request, response);
    } else {
      long seconds = TimeUnit.NANOSECONDS.toSeconds(probe.getNanosToWaitForRefill());
      response.setHeader("Retry-After", Long.toString(seconds + 1));
      response.setStatus(429);
    }
  }

  private Bucket newBucket() {
    Bandwidth bandwidth =
        Bandwidth.builder()
            .capacity(permits)
            .refillIntervally(permits, Duration.ofMinutes(1))
            .build();
    return Bucket.builder().addLimit(bandwidth).build();
  }
}
