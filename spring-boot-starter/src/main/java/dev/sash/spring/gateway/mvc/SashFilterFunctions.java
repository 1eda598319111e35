package dev.sash.spring.gateway.mvc;

import java.util.Objects;
import org.springframework.cloud.gateway.server.mvc.common.MvcUtils;
import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Filters for routes that are written in Java:
 *
 * <pre>{@code
 * route("search")
 *     .route(path("/search"), http())
 *     .before(uri("http://search:8080"))
 *     .filter(SashFilterFunctions.rateLimit("search"))
 *     .build()
 * }</pre>
 */
public final class SashFilterFunctions {
  private SashFilterFunctions() {}

  /**
   * Returns a filter that charges one permit for each request: short for {@code rateLimit(policy,
   * 1)}.
   *
   * @param policy the name of a policy under {@code sash.policies}, or of a policy bean
   * @return the filter
   */
  public static HandlerFilterFunction<ServerResponse, ServerResponse> rateLimit(String policy) {
    return rateLimit(policy, 1);
  }

  /**
   * Returns a filter that limits requests by a policy and the policy's own key, in which {@code
   * route} is the id of the route. Since the filter does not belong to an application, a wrong name
   * shows with the first request; {@link RouteLimits#rateLimit} shows it at once.
   *
   * @param policy the name of a policy under {@code sash.policies}, or of a policy bean
   * @param permits the cost of a request, 1 to 10⁹
   * @return the filter; its thread waits for the decision, at most for the policy's deadline
   */
  public static HandlerFilterFunction<ServerResponse, ServerResponse> rateLimit(
      String policy, long permits) {
    Objects.requireNonNull(policy, "policy must not be null");
    RouteLimits.checkPermits(permits);
    return (request, next) ->
        MvcUtils.getApplicationContext(request)
            .getBean(RouteLimits.class)
            .rateLimit(policy, permits)
            .filter(request, next);
  }
}
