package dev.sash.server.override;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OverridesTest {
  private static final Instant NOW = Instant.parse("2026-11-01T12:00:00Z");
  private static final InstantSource CLOCK = InstantSource.fixed(NOW);

  private static KeyOverride of(String text, boolean isPrefix, @Nullable Instant expires) {
    return new KeyOverride(
        new Target("api", text, isPrefix),
        Effect.BLOCK,
        List.of(),
        "because",
        "ann",
        NOW.minusSeconds(60),
        expires);
  }

  private static KeyOverride exact(String key) {
    return of(key, false, null);
  }

  private static KeyOverride prefix(String prefix) {
    return of(prefix, true, null);
  }

  private static @Nullable KeyOverride find(String key, KeyOverride... overrides) {
    return Overrides.of(List.of(overrides)).find("api", key, CLOCK);
  }

  @Test
  void findsTheKeyItselfBeforeAPrefixAndALongerPrefixBeforeAShorterOne() {
    KeyOverride key = exact("user:42");
    KeyOverride shorter = prefix("user:");
    KeyOverride longer = prefix("user:4");

    assertThat(find("user:42", shorter, longer, key)).isEqualTo(key);
    assertThat(find("user:41", shorter, longer, key)).isEqualTo(longer);
    assertThat(find("user:4", shorter, longer, key)).isEqualTo(longer);
    assertThat(find("user:5", shorter, longer, key)).isEqualTo(shorter);
    assertThat(find("user:", shorter, longer, key)).isEqualTo(shorter);
    assertThat(find("user", shorter, longer, key)).isNull();
    assertThat(find("usez", shorter, longer, key)).isNull();
    assertThat(find("", shorter, longer, key)).isNull();
  }

  @Test
  void aKeyIsNoPrefixAndAPrefixNoKey() {
    assertThat(find("user:42", exact("user:4"))).isNull();
    assertThat(find("user:42", exact("user:42"), prefix("user:42"))).isEqualTo(exact("user:42"));
  }

  @Test
  void findsAPrefixBehindManyThatLieBetweenItAndTheKey() {
    List<KeyOverride> overrides = new ArrayList<>(List.of(prefix("a")));
    for (int i = 0; i < 1_000; i++) {
      overrides.add(prefix("ab" + i));
    }
    assertThat(Overrides.of(overrides).find("api", "az", CLOCK)).isEqualTo(prefix("a"));
  }

  @Test
  void whatHasExpiredNoLongerAppliesAndGivesWayToTheNext() {
    KeyOverride over = of("user:42", false, NOW);
    KeyOverride overPrefix = of("user:4", true, NOW.minusMillis(1));
    KeyOverride valid = of("user:", true, NOW.plusMillis(1));

    assertThat(find("user:42", over)).isNull();
    assertThat(find("user:42", over, overPrefix, valid)).isEqualTo(valid);
  }

  @Test
  void anotherPolicyHasItsOwn() {
    assertThat(Overrides.of(List.of(exact("ann"))).find("other", "ann", CLOCK)).isNull();
    assertThat(Overrides.NONE.find("api", "ann", CLOCK)).isNull();
  }

  @Test
  void findsWhatASearchThroughAllOfThemFinds() {
    for (long seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<KeyOverride> overrides = randomOverrides(random);
      Overrides index = Overrides.of(overrides);
      for (int i = 0; i < 200; i++) {
        String key = text(random, 0, 7);
        assertThat(index.find("api", key, CLOCK))
            .as("seed %d, key '%s' in %s", seed, key, overrides)
            .isEqualTo(naive(overrides, key));
      }
    }
  }

  private static List<KeyOverride> randomOverrides(SplittableRandom random) {
    Map<Target, KeyOverride> overrides = new HashMap<>();
    int count = random.nextInt(40);
    for (int i = 0; i < count; i++) {
      Instant expires = random.nextInt(3) > 0 ? null : NOW.plusMillis(random.nextInt(-2, 3));
      KeyOverride override = of(text(random, 1, 6), random.nextInt(3) > 0, expires);
      overrides.put(override.target(), override);
    }
    List<KeyOverride> shuffled = new ArrayList<>(overrides.values());
    Collections.shuffle(shuffled, new Random(random.nextLong()));
    return shuffled;
  }

  /** Few characters, so that texts often begin alike; one outside of the basic plane. */
  private static String text(SplittableRandom random, int least, int most) {
    StringBuilder text = new StringBuilder();
    int length = random.nextInt(least, most + 1);
    for (int i = 0; i < length; i++) {
      text.append(List.of("a", "b", "c", "\uFFFD", "\uD83D\uDE00").get(random.nextInt(5)));
    }
    return text.toString();
  }

  private static @Nullable KeyOverride naive(List<KeyOverride> overrides, String key) {
    return overrides.stream()
        .filter(it -> it.isInForce(NOW.toEpochMilli()))
        .filter(
            it ->
                it.target().isPrefix()
                    ? key.startsWith(it.target().text())
                    : key.equals(it.target().text()))
        .max(
            Comparator.comparing((KeyOverride it) -> !it.target().isPrefix())
                .thenComparing(it -> it.target().text().length()))
        .orElse(null);
  }

  @Test
  void limitsCanStandInPlaceOfABlock() {
    KeyOverride raised =
        new KeyOverride(
            new Target("api", "ann", false),
            Effect.LIMITS,
            List.of(Limit.parse("5/1m")),
            "because",
            "bob",
            NOW,
            null);
    assertThat(find("ann", raised)).isEqualTo(raised);
  }
}
