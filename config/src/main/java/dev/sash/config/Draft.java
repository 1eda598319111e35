package dev.sash.config;

import dev.sash.address.AddressRanges;
import dev.sash.config.envoy.EnvoyDomain;
import dev.sash.config.envoy.RlsConfig;
import dev.sash.config.internal.Setting;
import dev.sash.config.internal.YamlText;
import dev.sash.config.policy.PolicyConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts together what files say, and what is wrong with them. */
final class Draft {
  static final int MOST_POLICIES = 10_000;

  private final List<Problem> problems = new ArrayList<>();

  /** What has been said, and where. */
  private final Map<String, String> claims = new HashMap<>();

  private final Map<String, PolicyConfig> policies = new LinkedHashMap<>();
  private final Map<String, EnvoyDomain> domains = new LinkedHashMap<>();
  private boolean adHocLimits;
  private AddressRanges trustedProxies = AddressRanges.NONE;
  private ForwardedBy forwardedBy = ForwardedBy.NONE;
  private @Nullable Integer denyStatus;
  private RlsConfig rls = RlsConfig.DEFAULT;

  /**
   * All that sources say.
   *
   * @throws ConfigurationException if anything is wrong
   */
  static Configuration read(Sources sources) {
    Draft draft = new Draft();
    draft.problems.addAll(sources.problems());
    sources.files().forEach(draft::read);
    return draft.finish(sources.name());
  }

  private void read(Sources.File file) {
    Problems found = new Problems(file.name());
    Setting root = YamlText.read(file.text(), found);
    if (root != null) {
      if (!root.isMapping()) {
        root.mustBe("a mapping with policies, or a domain, or rate-limiter");
      } else if (root.has("domain") || root.has("descriptors")) {
        EnvoyForm.read(root, this);
      } else if (root.has("rate-limiter")) {
        OlderForm.read(root, this);
      } else {
        NativeForm.read(root, this);
      }
    }
    problems.addAll(found.sorted());
  }

  private Configuration finish(String name) {
    if (problems.isEmpty() && policies.isEmpty() && domains.isEmpty() && !adHocLimits) {
      problems.add(Problem.ofWholeFile(name, "limits nothing: has no policies and no domain"));
    }
    if (forwardedBy != ForwardedBy.NONE && !claims.containsKey("trusted-proxies")) {
      problems.add(
          Problem.ofWholeFile(
              name,
              "forwarded-by must stand beside trusted-proxies: no proxy is believed without"));
    }
    if (forwardedBy == ForwardedBy.NGINX
        && denyStatus != null
        && denyStatus != 401
        && denyStatus != 403) {
      problems.add(
          Problem.ofWholeFile(
              name,
              "deny-status must be 401 or 403 beside forwarded-by: nginx, which makes an error of"
                  + " every other status, was "
                  + denyStatus));
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    int status = denyStatus == null ? ProxyConfig.defaultDenyStatus(forwardedBy) : denyStatus;
    ProxyConfig proxies = new ProxyConfig(trustedProxies, forwardedBy, status);
    return new Configuration(policies, domains, adHocLimits, proxies, rls);
  }

  /** What may be said once in all the files; false if it was said before. */
  boolean claim(String what, Setting setting) {
    String before = claims.putIfAbsent(what, setting.place());
    if (before != null) {
      setting.badKey(what + " stands at " + before + " already");
    }
    return before == null;
  }

  void policy(Setting setting, PolicyConfig policy) {
    if (claim("policy '" + policy.name() + "'", setting)) {
      policies.put(policy.name(), policy);
      if (policies.size() == MOST_POLICIES + 1) {
        setting.badKey(
            "there must be at most " + MOST_POLICIES + " policies: this one is too many");
      }
    }
  }

  void domain(EnvoyDomain domain) {
    domains.put(domain.name(), domain);
  }

  void adHocLimits(boolean allowed) {
    adHocLimits = allowed;
  }

  void trustedProxies(AddressRanges proxies) {
    trustedProxies = proxies;
  }

  void forwardedBy(ForwardedBy proxy) {
    forwardedBy = proxy;
  }

  void denyStatus(@Nullable Integer status) {
    denyStatus = status;
  }

  void rls(RlsConfig config) {
    rls = config;
  }
}
