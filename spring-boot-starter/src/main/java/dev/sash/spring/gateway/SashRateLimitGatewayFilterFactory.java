package dev.sash.spring.gateway;

import dev.sash.http.HttpLimiter;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.web.WebLimits;
import dev.sash.spring.webflux.ExchangeLimits;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.support.HasRouteId;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.web.server.ServerWebExchange;

/**
 * Makes the filter {@code SashRateLimit}, which limits a route by a policy with the policy's own
 * key: {@code - SashRateLimit=search}, or {@code - SashRateLimit=search, 5} for five permits a
 * request. In a key expression, {@code route} is the id of Gateway's route.
 */
public final class SashRateLimitGatewayFilterFactory
    extends AbstractGatewayFilterFactory<SashRateLimitGatewayFilterFactory.Config> {
  /** The filter's name in configurations. */
  static final String NAME = "SashRateLimit";

  private final @Nullable WebLimits limits;
  private final @Nullable ExchangeLimits exchanges;

  /**
   * Creates the bean.
   *
   * @param limits makes limiters; null if requests are not limited
   * @param exchanges limits requests; null if requests are not limited
   */
  SashRateLimitGatewayFilterFactory(
      @Nullable WebLimits limits, @Nullable ExchangeLimits exchanges) {
    super(Config.class);
    this.limits = limits;
    this.exchanges = exchanges;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> shortcutFieldOrder() {
    return List.of("policy", "permits");
  }

  /**
   * Makes the filter.
   *
   * @param config the policy
   * @return the filter
   * @throws BadConfigurationException if there is no such policy or the permits are out of bounds
   */
  @Override
  public GatewayFilter apply(Config config) {
    if (limits == null || exchanges == null) {
      return (exchange, chain) -> chain.filter(exchange);
    }
    WebLimits made = limits;
    ExchangeLimits limiting = exchanges;
    String property = config.routeId == null ? NAME : "route '" + config.routeId + "', " + NAME;
    if (config.permits < 1) {
      throw BadConfigurationException.property(
          property, "permits must be between 1 and 1000000000, was " + config.permits);
    }
    HttpLimiter limiter =
        BadConfigurationException.check(
            property, () -> made.forHandler(config.policy, config.permits));
    return (exchange, chain) ->
        limiting.limit(
            exchange,
            limiter,
            SashRateLimitGatewayFilterFactory::routeOf,
            () -> chain.filter(exchange));
  }

  private static @Nullable String routeOf(ServerWebExchange exchange) {
    Route route = exchange.getAttribute(ServerWebExchangeUtils.GATEWAY_ROUTE_ATTR);
    return route == null ? null : route.getId();
  }

  /** The arguments of the filter. Not thread-safe; every setter returns this object. */
  public static final class Config implements HasRouteId {
    private String policy = "";
    private long permits = 1;
    private @Nullable String routeId;

    /** Creates a configuration without a policy. */
    public Config() {}

    /**
     * Returns the name of the policy.
     *
     * @return empty if it is not set
     */
    public String getPolicy() {
      return policy;
    }

    /**
     * Sets the policy.
     *
     * @param policy the name of one under {@code sash.policies}, or of a policy bean
     * @return this
     */
    public Config setPolicy(String policy) {
      this.policy = Objects.requireNonNull(policy, "policy must not be null").strip();
      return this;
    }

    /**
     * Returns the cost of a request.
     *
     * @return the number of permits
     */
    public long getPermits() {
      return permits;
    }

    /**
     * Sets the cost of a request.
     *
     * @param permits 1 to 10⁹; 1 by default
     * @return this
     */
    public Config setPermits(long permits) {
      this.permits = permits;
      return this;
    }

    @Override
    public void setRouteId(String routeId) {
      this.routeId = routeId;
    }

    @Override
    public @Nullable String getRouteId() {
      return routeId;
    }
  }
}
