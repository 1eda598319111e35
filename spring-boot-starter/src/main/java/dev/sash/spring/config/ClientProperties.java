package dev.sash.spring.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits of calls to other services.
 *
 * @param enabled Whether all clients that Spring Boot builds are limited: RestClient, RestTemplate
 *     and WebClient.
 * @param policy The name of the policy that limits the calls to each host. Without it, only what
 *     hosts say holds calls back.
 * @param maxWait The longest time for a call to wait; one that would wait longer fails.
 * @param maxWaiting The number of calls that may wait at the same time; further ones fail.
 * @param maxPause The longest time for which a host is not called, whatever it says.
 * @param defaultPause How long a host is not called that responds with 429 and does not say for how
 *     long.
 */
public record ClientProperties(
    @DefaultValue("false") boolean enabled,
    @Nullable String policy,
    @DefaultValue("1s") Duration maxWait,
    @DefaultValue("1000") int maxWaiting,
    @DefaultValue("1h") Duration maxPause,
    @DefaultValue("1s") Duration defaultPause) {}
