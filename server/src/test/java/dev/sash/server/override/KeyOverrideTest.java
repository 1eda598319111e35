package dev.sash.server.override;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Limit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyOverrideTest {
  private static final Instant NOW = Instant.parse("2026-11-01T12:00:00Z");

  private static KeyOverride of(
      String key, List<Limit> limits, String reason, String author, @Nullable Instant expires) {
    Effect effect = limits.isEmpty() ? Effect.BLOCK : Effect.LIMITS;
    return new KeyOverride(
        new Target("api", key, false), effect, limits, reason, author, NOW, expires);
  }

  private static KeyOverride of(String key, String reason, String author) {
    return of(key, List.of(), reason, author, null);
  }

  @Test
  void acceptsTextsOfAnyLanguageUpToTheirBounds() {
    assertThat(of("ключ:" + "é".repeat(100), "<script>alert('x')</script> 😀", "Zoë").author())
        .isEqualTo("Zoë");
    of("k".repeat(1_024), "r".repeat(500), "a".repeat(100));
  }

  @Test
  void namesTheTextThatIsTooLongOrEmptyAndNeverQuotesIt() {
    assertThatThrownBy(() -> of("k".repeat(1_025), "r", "a"))
        .hasMessage("key must be between 1 and 1024 bytes of UTF-8, was more");
    assertThatThrownBy(() -> of("", "r", "a"))
        .hasMessage("key must be between 1 and 1024 bytes of UTF-8, was 0 bytes");
    assertThatThrownBy(() -> of("k", "é".repeat(251), "a"))
        .hasMessage("reason must be between 1 and 500 bytes of UTF-8, was more");
    assertThatThrownBy(() -> of("k", "r", "a".repeat(101)))
        .hasMessage("author must be between 1 and 100 bytes of UTF-8, was more");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a\nb",
        "a\u0000",
        "\u001B[31m",
        "\u2028",
        "\u2029",
        "\u202Eevil",
        "\uD83D",
        "\u0085"
      })
  void refusesCharactersThatBreakLinesOrMislead(String text) {
    assertThatThrownBy(() -> of(text, "r", "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("key must not contain control characters, contains U+");
    assertThatThrownBy(() -> of("k", text, "a")).hasMessageStartingWith("reason must not contain");
    assertThatThrownBy(() -> of("k", "r", text)).hasMessageStartingWith("author must not contain");
  }

  @Test
  void endsAfterItBeginsAndWithinAYear() {
    List<Limit> none = List.of();
    of("k", none, "r", "a", NOW.plus(KeyOverride.LONGEST));
    for (Duration wrong :
        List.of(Duration.ZERO, Duration.ofSeconds(-1), KeyOverride.LONGEST.plusMillis(1))) {
      assertThatThrownBy(() -> of("k", none, "r", "a", NOW.plus(wrong)))
          .hasMessage(
              "expiry must be after "
                  + NOW
                  + " and at most 366 days later, was "
                  + NOW.plus(wrong));
    }
  }

  @Test
  void hasOneToEightDifferentLimitsOrNone() {
    List<Limit> nine = new ArrayList<>();
    for (int i = 1; i <= 9; i++) {
      nine.add(Limit.parse("1/" + i + "m"));
    }
    of("k", nine.subList(0, 8), "r", "a", null);
    assertThatThrownBy(() -> of("k", nine, "r", "a", null))
        .hasMessage("limits must be 1 to 8, were 9");
    assertThatThrownBy(
            () -> of("k", List.of(Limit.parse("1/m"), Limit.parse("2/m")), "r", "a", null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () ->
                new KeyOverride(
                    new Target("api", "k", false),
                    Effect.BLOCK,
                    List.of(Limit.parse("1/m")),
                    "r",
                    "a",
                    NOW,
                    null))
        .hasMessageStartingWith("limits must not be given with the effect block");
  }

  @Test
  void showsAHashInsteadOfTheKey() {
    KeyOverride override = of("user:secret", "r", "a");
    assertThat(override.toString()).doesNotContain("secret").contains("sha256:");
  }
}
