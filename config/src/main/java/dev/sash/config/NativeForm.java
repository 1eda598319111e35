package dev.sash.config;

import dev.sash.config.envoy.RlsCharging;
import dev.sash.config.envoy.RlsConfig;
import dev.sash.config.internal.MappingFields;
import dev.sash.config.internal.Setting;
import dev.sash.config.policy.PolicyConfig;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Reads Sash's own form. */
final class NativeForm {
  private static final Map<String, RlsCharging> CHARGING =
      Setting.choices(RlsCharging.values(), Setting::idOf);
  private static final Map<String, ForwardedBy> PROXIES =
      Setting.choices(ForwardedBy.values(), Setting::idOf);
  private static final Map<String, Integer> DENY_STATUSES =
      Setting.choices(new Integer[] {401, 403, 429, 503}, String::valueOf);

  private NativeForm() {}

  static void read(Setting root, Draft draft) {
    MappingFields fields = root.fields(Names.NATIVE.all());
    if (fields == null) {
      return;
    }
    Setting policies = fields.get("policies");
    if (policies != null) {
      for (Setting setting : policies.entries("policy")) {
        PolicyConfig policy = Policies.read(setting);
        if (policy != null) {
          draft.policy(setting, policy);
        }
      }
    }
    Setting proxies = fields.get("trusted-proxies");
    if (proxies != null && draft.claim("trusted-proxies", proxies)) {
      draft.trustedProxies(AccessLists.networks(proxies));
    }
    Setting forwardedBy = fields.get("forwarded-by");
    if (forwardedBy != null && draft.claim("forwarded-by", forwardedBy)) {
      draft.forwardedBy(fields.optional("forwarded-by", s -> s.oneOf(PROXIES), ForwardedBy.NONE));
    }
    Setting denyStatus = fields.get("deny-status");
    if (denyStatus != null && draft.claim("deny-status", denyStatus)) {
      draft.denyStatus(denyStatus.oneOf(DENY_STATUSES));
    }
    Setting adHoc = fields.get("ad-hoc-limits");
    if (adHoc != null && draft.claim("ad-hoc-limits", adHoc)) {
      draft.adHocLimits(Boolean.TRUE.equals(adHoc.flag()));
    }
    Setting rls = fields.get("rls");
    if (rls != null && draft.claim("rls", rls)) {
      rls(rls, draft);
    }
  }

  private static Set<String> names(Setting setting) {
    Set<String> names = new LinkedHashSet<>();
    for (Setting element : setting.oneOrMore()) {
      String name = element.text("the name of a limit", EnvoyForm.NOT_EMPTY);
      if (name != null && !names.add(name)) {
        element.bad("must not have a name twice: " + Setting.quoted(name));
      }
    }
    return names;
  }

  private static void rls(Setting setting, Draft draft) {
    MappingFields fields = setting.fields(Names.RLS.all());
    if (fields != null) {
      RlsConfig plain = RlsConfig.DEFAULT;
      draft.rls(
          new RlsConfig(
              fields.optional("charge", s -> s.oneOf(CHARGING), plain.charging()),
              fields.optional("algorithm", s -> s.oneOf(Limits.ALGORITHMS), plain.algorithm()),
              fields.optional("refunds", Setting::flag, plain.refunds()),
              fields.optional("charge-always", NativeForm::names, plain.chargeAlways())));
    }
  }
}
