package dev.sash.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sash.config.policy.PolicyConfig;

/**
 * Whatever stands in a file, led by coverage: it is read, or there are problems with places in it.
 * In the build it runs on the inputs in {@code ConfigFuzzInputs}; CONTRIBUTING.md tells how to look
 * for more.
 */
class ConfigFuzz {
  @FuzzTest(maxDuration = "1m")
  void files(FuzzedDataProvider data) {
    String text = data.consumeRemainingAsString();
    try {
      Configuration read = Configuration.parse(text, "f");
      assertThat(read.policies()).allSatisfy((name, policy) -> assertUsable(policy));
    } catch (ConfigurationException e) {
      assertThat(e.problems()).isNotEmpty().hasSizeLessThanOrEqualTo(Problems.MOST);
      assertThat(e.getMessage().lines()).hasSize(e.problems().size());
      long lines = text.lines().count() + 1;
      assertThat(e.problems())
          .allSatisfy(
              problem -> {
                assertThat(problem.line()).isBetween(0, (int) lines);
                assertThat(problem.column()).isBetween(0, text.length() + 1);
              });
    }
  }

  private static void assertUsable(PolicyConfig policy) {
    assertThat(policy.policy().limitsFor("key")).isNotEmpty();
    assertThat(policy.tiers().values()).allSatisfy(limits -> assertThat(limits).isNotEmpty());
    assertThat(policy.cost().permits()).isBetween(0L, policy.cost().most());
    assertThat(policy.keyAttributes()).doesNotHaveDuplicates();
  }
}
