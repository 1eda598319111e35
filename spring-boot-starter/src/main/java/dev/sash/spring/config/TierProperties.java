package dev.sash.spring.config;

import java.util.List;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Who belongs to a tier.
 *
 * @param keys Keys, such as user:ann.
 * @param keyPrefixes What keys begin with, such as user:staff-.
 * @param apiKeys Values of the field that a policy with the key 'apikey:' reads.
 */
public record TierProperties(
    @DefaultValue List<String> keys,
    @DefaultValue List<String> keyPrefixes,
    @DefaultValue List<String> apiKeys) {}
