package dev.sash.config;

import java.util.List;

/**
 * The names that may stand in each kind of mapping. {@code sash.schema.json} describes them, under
 * {@code $defs} by the constant's name in lower case and with hyphens.
 */
enum Names {
  NATIVE("policies", "trusted-proxies", "forwarded-by", "deny-status", "ad-hoc-limits", "rls"),
  POLICY(
      "limit",
      "limits",
      "key",
      "tiers",
      "tier-by",
      "cost",
      "on-failure",
      "deadline",
      "mode",
      "charge",
      "allow",
      "deny"),
  LIMIT("permits", "window", "algorithm", "cells", "capacity"),
  COST("attribute", "default", "most"),
  RLS("charge", "charge-always", "algorithm", "refunds"),

  ENVOY("domain", "descriptors"),
  ENVOY_DESCRIPTOR(
      "key",
      "value",
      "rate_limit",
      "descriptors",
      "shadow_mode",
      "detailed_metric",
      "value_to_metric",
      "share_threshold",
      "quota_mode",
      "metadata"),
  ENVOY_LIMIT("unit", "requests_per_unit", "unlimited", "name", "replaces"),
  ENVOY_REPLACED("name"),

  OLDER("rate-limiter"),
  OLDER_LIMIT("use-algo", "window-size", "max-requests");

  @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable
  private final List<String> all;

  Names(String... all) {
    this.all = List.of(all);
  }

  List<String> all() {
    return all;
  }
}
