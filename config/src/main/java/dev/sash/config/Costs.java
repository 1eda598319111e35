package dev.sash.config;

import dev.sash.config.internal.MappingFields;
import dev.sash.config.internal.Setting;
import dev.sash.config.policy.Cost;
import org.jspecify.annotations.Nullable;

/** Reads what requests cost. */
final class Costs {
  private Costs() {}

  static @Nullable Cost read(Setting setting) {
    if (setting.isMapping()) {
      return byAttribute(setting);
    }
    Long permits = setting.number(0, Limits.MOST_PERMITS);
    return permits == null ? null : new Cost(permits, null, Math.max(1, permits));
  }

  private static @Nullable Cost byAttribute(Setting setting) {
    MappingFields fields = setting.fields(Names.COST.all());
    if (fields == null) {
      return null;
    }
    String attribute = fields.required("attribute", AttributeNames::one);
    long most = fields.optional("most", s -> s.number(1, Limits.MOST_PERMITS), Limits.MOST_PERMITS);
    long permits = fields.optional("default", s -> s.number(1, most), 1L);
    return attribute == null ? null : new Cost(permits, attribute, most);
  }
}
