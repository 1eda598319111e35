package dev.sash.config;

import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.config.internal.MappingFields;
import dev.sash.config.internal.Setting;
import dev.sash.config.policy.AccessList;
import dev.sash.config.policy.ChargeRule;
import dev.sash.config.policy.Cost;
import dev.sash.config.policy.Mode;
import dev.sash.config.policy.PolicyConfig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a policy of Sash's own form. */
final class Policies {
  private static final Map<String, FailureRule> FAILURE_RULES =
      Setting.choices(FailureRule.values(), Setting::idOf);
  private static final Map<String, Mode> MODES = Setting.choices(Mode.values(), Mode::id);
  private static final Map<String, ChargeRule> CHARGE_RULES =
      Setting.choices(ChargeRule.values(), Setting::idOf);
  private static final Pattern TIER = Pattern.compile("[A-Za-z0-9._:-]{1,64}");

  private Policies() {}

  static @Nullable PolicyConfig read(Setting setting) {
    Policy named = named(setting);
    MappingFields fields = setting.fields(Names.POLICY.all());
    if (named == null || fields == null) {
      return null;
    }
    List<Limit> limits = limits(named, setting, fields);
    Map<String, List<Limit>> tiers = fields.optional("tiers", tier -> tiers(named, tier), Map.of());
    Setting tierBy = fields.get("tier-by");
    if (tierBy != null && fields.get("tiers") == null) {
      tierBy.badKey("tier-by must stand beside tiers: without them it says nothing");
    }
    Policy policy =
        (limits == null ? named : named.withLimits(limits))
            .onFailure(
                fields.optional("on-failure", s -> s.oneOf(FAILURE_RULES), named.failureRule()))
            .withDeadline(fields.optional("deadline", Policies::deadline, named.deadline()));
    return new PolicyConfig(
        policy,
        fields.optional("mode", s -> s.oneOf(MODES), Mode.ENFORCE),
        fields.optional("charge", s -> s.oneOf(CHARGE_RULES), ChargeRule.IF_ALLOWED),
        fields.optional("key", AttributeNames::oneOrMore, List.of()),
        fields.optional("tier-by", AttributeNames::one, PolicyConfig.DEFAULT_TIER_ATTRIBUTE),
        tiers,
        fields.optional("cost", Costs::read, Cost.ONE),
        fields.optional("allow", AccessLists::read, AccessList.NOBODY),
        fields.optional("deny", AccessLists::read, AccessList.NOBODY));
  }

  private static @Nullable Policy named(Setting setting) {
    try {
      return Policy.named(setting.key());
    } catch (IllegalArgumentException e) {
      setting.badKey(String.valueOf(e.getMessage()));
      return null;
    }
  }

  private static @Nullable List<Limit> limits(Policy named, Setting setting, MappingFields fields) {
    Setting one = fields.get("limit");
    Setting several = fields.get("limits");
    if (one != null && several != null) {
      several.badKey("limits must not stand beside limit: keep one of them");
    }
    if (one == null && several == null) {
      setting.bad("must have limit or limits");
    }
    if (one != null) {
      return Limits.one(one);
    }
    return several == null ? null : Limits.several(named, several);
  }

  private static Map<String, List<Limit>> tiers(Policy named, Setting setting) {
    Map<String, List<Limit>> tiers = new LinkedHashMap<>();
    for (Setting tier : setting.entries("tier")) {
      if (!TIER.matcher(tier.key()).matches()) {
        tier.badKey("the name of a tier must be 1 to 64 of A-Z a-z 0-9 . _ : -");
      }
      List<Limit> limits = Limits.oneOrMore(named, tier);
      if (limits != null) {
        tiers.put(tier.key(), limits);
      }
    }
    return tiers;
  }

  private static @Nullable Duration deadline(Setting setting) {
    return setting.duration("1ms", "1m");
  }
}
