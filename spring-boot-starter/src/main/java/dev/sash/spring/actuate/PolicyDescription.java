package dev.sash.spring.actuate;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.spring.config.ConfiguredPolicy;
import dev.sash.spring.config.PolicyProperties;
import java.util.List;
import java.util.Map;

/**
 * A policy that is in force, as the endpoint shows it.
 *
 * @param limits what is allowed
 * @param tiers the limits of each tier; empty if they are made in code
 * @param tiered whether some keys have other limits
 * @param mode whether the policy denies, or only counts
 * @param failureRule what decides while the store is unavailable
 * @param deadline within which time the store must have answered
 * @param paths which requests are limited; empty if none are, or by annotations
 * @param methods which of their methods; empty for all
 * @param grpcMethods which gRPC calls are limited; empty if none are
 * @param key what is limited
 * @param cost how many permits a request costs
 * @param order the order in which policies are checked
 */
public record PolicyDescription(
    List<String> limits,
    Map<String, List<String>> tiers,
    boolean tiered,
    String mode,
    String failureRule,
    String deadline,
    List<String> paths,
    List<String> methods,
    List<String> grpcMethods,
    String key,
    long cost,
    int order) {

  static PolicyDescription of(ConfiguredPolicy configured, Policy inForce) {
    PolicyProperties properties = configured.properties();
    return new PolicyDescription(
        texts(inForce.limits()),
        properties.tiers(),
        inForce.isTiered(),
        properties.mode().name(),
        inForce.failureRule().name(),
        inForce.deadline().toString(),
        configured.paths(),
        properties.methods(),
        properties.grpcMethods(),
        properties.keyOrDefault(),
        properties.cost(),
        properties.order());
  }

  static List<String> texts(List<Limit> limits) {
    return limits.stream().map(Limit::toString).toList();
  }
}
