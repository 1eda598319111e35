package dev.sash.config;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.config.envoy.EnvoyDomain;
import dev.sash.config.envoy.RlsConfig;
import dev.sash.config.policy.PolicyConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything that files say. Immutable.
 *
 * @param policies the policies by name, in the order of the files
 * @param domains the domains of Envoy's form by name
 * @param adHocLimits whether requests may bring limits of their own
 * @param proxies the proxies in front of the forward-auth endpoint
 * @param rls how the service for Envoy decides
 */
public record Configuration(
    Map<String, PolicyConfig> policies,
    Map<String, EnvoyDomain> domains,
    boolean adHocLimits,
    ProxyConfig proxies,
    RlsConfig rls) {

  /** Copies the maps, keeping their order. */
  public Configuration {
    policies = Collections.unmodifiableMap(new LinkedHashMap<>(policies));
    domains = Collections.unmodifiableMap(new LinkedHashMap<>(domains));
  }

  /**
   * Reads a file's text: policies, or a domain as envoyproxy/ratelimit has it, or the older {@code
   * rate-limiter}, told apart by the names at the top.
   *
   * @param text YAML 1.2
   * @param fileName what problems call the file
   * @return what it says
   * @throws ConfigurationException with everything that is wrong with it
   */
  public static Configuration parse(String text, String fileName) {
    return Draft.read(Sources.of(fileName, text));
  }

  /**
   * Reads a file, or all the files of a directory whose names end in {@code .yaml} or {@code .yml}
   * and do not begin with a dot, in the order of their names. What one file says no other may say
   * again.
   *
   * @param path the file or the directory
   * @return what they say together
   * @throws ConfigurationException with everything that is wrong with them, which may be that they
   *     cannot be read
   */
  public static Configuration load(Path path) {
    return Draft.read(Sources.read(path));
  }

  /**
   * What holds without a file: one policy, {@code default}, of 100 permits a minute.
   *
   * @return the configuration
   */
  public static Configuration byDefault() {
    Limit limit = Limit.slidingLog(100, Duration.ofMinutes(1));
    return of(List.of(PolicyConfig.of(Policy.of("default", limit))));
  }

  /**
   * Returns this configuration with ad-hoc limits permitted or not.
   *
   * @param permitted whether requests may bring limits of their own
   * @return the configuration
   */
  public Configuration withAdHocLimits(boolean permitted) {
    return new Configuration(policies, domains, permitted, proxies, rls);
  }

  /**
   * A configuration that says nothing but policies.
   *
   * @param policies the policies
   * @return everything else as if it were not said
   */
  public static Configuration of(Collection<PolicyConfig> policies) {
    Map<String, PolicyConfig> byName = new LinkedHashMap<>();
    policies.forEach(policy -> byName.put(policy.name(), policy));
    return new Configuration(byName, Map.of(), false, ProxyConfig.NONE, RlsConfig.DEFAULT);
  }
}
