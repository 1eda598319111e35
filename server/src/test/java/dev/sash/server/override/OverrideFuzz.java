package dev.sash.server.override;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sash.server.http.exchange.Refusal;
import dev.sash.server.http.override.OverrideReader;
import java.time.Instant;
import java.util.List;

/**
 * Whatever bodies are sent and whatever is stored: overrides or a message, and nothing else. In the
 * build each test runs on the inputs in {@code OverrideFuzzInputs}; CONTRIBUTING.md describes how
 * to look for more.
 */
class OverrideFuzz {
  private static final Instant NOW = Instant.parse("2026-11-01T12:00:00Z");

  @FuzzTest(maxDuration = "1m")
  void bodies(FuzzedDataProvider data) {
    byte[] body = data.consumeRemainingAsBytes();
    try {
      KeyOverride read = OverrideReader.override("api", body, NOW);
      OverrideState state = new OverrideState(List.of(read), List.of());
      // What is accepted can be stored.
      assertThat(StoredForm.read(StoredForm.write(state)).overrides()).containsExactly(read);
    } catch (Refusal refusal) {
      check(refusal);
    }
    try {
      assertThat(OverrideReader.removal("api", body).author()).isNotEmpty();
    } catch (Refusal refusal) {
      check(refusal);
    }
  }

  private static void check(Refusal refusal) {
    assertThat(refusal.status()).isEqualTo(400);
    assertThat(refusal.detail()).isNotBlank().hasSizeLessThan(20_000);
  }

  @FuzzTest(maxDuration = "1m")
  void stored(FuzzedDataProvider data) {
    byte[] bytes = data.consumeRemainingAsBytes();
    try {
      OverrideState state = StoredForm.read(bytes);
      OverrideState again = StoredForm.read(StoredForm.write(state));
      assertThat(again.overrides()).containsExactlyElementsOf(state.overrides());
      assertThat(again.audit()).isEqualTo(state.audit());
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageMatching("(?s).+");
    }
    try {
      assertThat(FileStorage.parse(bytes).version()).isNotEmpty();
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageStartingWith("it ");
    }
  }
}
