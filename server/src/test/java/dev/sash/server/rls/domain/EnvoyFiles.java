package dev.sash.server.rls.domain;

import dev.sash.Algorithm;
import dev.sash.config.Configuration;
import dev.sash.config.ProxyConfig;
import dev.sash.config.envoy.EnvoyDescriptor;
import dev.sash.config.envoy.EnvoyDomain;
import dev.sash.config.envoy.EnvoyLimit;
import dev.sash.config.envoy.EnvoyOption;
import dev.sash.config.envoy.EnvoyUnit;
import dev.sash.config.envoy.RlsCharging;
import dev.sash.config.envoy.RlsConfig;
import dev.sash.config.policy.PolicyConfig;
import dev.sash.server.rls.wire.RlsRequest.Entry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What files of Envoy's form say, without the files. */
public final class EnvoyFiles {
  private EnvoyFiles() {}

  /** Entries of a request, such as {@code user=ann path=/x}. */
  static List<Entry> entries(String text) {
    List<Entry> entries = new ArrayList<>();
    for (String entry : text.split(" ", -1)) {
      int equals = entry.indexOf('=');
      entries.add(new Entry(entry.substring(0, equals), entry.substring(equals + 1)));
    }
    return entries;
  }

  /** A limit per minute. */
  public static EnvoyLimit minutely(long requests) {
    return new EnvoyLimit(requests, EnvoyUnit.MINUTE, false, null, List.of());
  }

  static EnvoyLimit unlimited() {
    return new EnvoyLimit(0, null, true, null, List.of());
  }

  /** A limit per minute with a name, and the names of limits that it replaces. */
  public static EnvoyLimit named(String name, long requests, String... replaces) {
    return new EnvoyLimit(requests, EnvoyUnit.MINUTE, false, name, List.of(replaces));
  }

  /** A key, a limit or null, and what is below. */
  public static EnvoyDescriptor any(String key, EnvoyLimit limit, EnvoyDescriptor... below) {
    return with(key, null, limit, Set.of(), below);
  }

  /** A key with a value, a limit or null, and what is below. */
  public static EnvoyDescriptor one(
      String key, String value, EnvoyLimit limit, EnvoyDescriptor... below) {
    return with(key, value, limit, Set.of(), below);
  }

  /** A key with a limit that never denies. */
  public static EnvoyDescriptor shadow(String key, EnvoyLimit limit) {
    return with(key, null, limit, Set.of(EnvoyOption.SHADOW_MODE));
  }

  /** A descriptor with options. */
  static EnvoyDescriptor with(
      String key,
      String value,
      EnvoyLimit limit,
      Set<EnvoyOption> options,
      EnvoyDescriptor... below) {
    return new EnvoyDescriptor(key, value, limit, options, Map.of(), List.of(below));
  }

  /** The domain {@code shop}. */
  public static Configuration shop(EnvoyDescriptor... descriptors) {
    return shop(RlsCharging.ALL_OR_NOTHING, descriptors);
  }

  /** The domain {@code shop}, charged in this way. */
  public static Configuration shop(RlsCharging charging, EnvoyDescriptor... descriptors) {
    return configuration(charging, false, List.of(new EnvoyDomain("shop", List.of(descriptors))));
  }

  static Configuration configuration(
      RlsCharging charging, boolean adHoc, List<EnvoyDomain> domains, PolicyConfig... policies) {
    Map<String, EnvoyDomain> domainsByName = new LinkedHashMap<>();
    domains.forEach(domain -> domainsByName.put(domain.name(), domain));
    Map<String, PolicyConfig> byName = new LinkedHashMap<>();
    for (PolicyConfig policy : policies) {
      byName.put(policy.name(), policy);
    }
    RlsConfig rls = new RlsConfig(charging, Algorithm.SLIDING_LOG, true, Set.of("always"));
    return new Configuration(byName, domainsByName, adHoc, ProxyConfig.NONE, rls);
  }
}
