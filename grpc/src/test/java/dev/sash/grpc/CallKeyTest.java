package dev.sash.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.key.Keys;
import io.grpc.Metadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CallKeyTest {
  private static final CallKey NOTHING = CallKey.by("none", (call, headers) -> null);
  private static final CallKey EMPTY = CallKey.by("none", (call, headers) -> "");

  private static CallKey user(String name) {
    return CallKey.by("user", (call, headers) -> name);
  }

  private static String keyOf(CallKey key) {
    return key.keyOf(null, new Metadata());
  }

  @Test
  void takesAnotherKeyWhereThereIsNone() {
    assertThat(keyOf(user("ann").orElse(user("bob")))).isEqualTo("user:ann");
    assertThat(keyOf(NOTHING.orElse(user("bob")))).isEqualTo("user:bob");
    assertThat(keyOf(EMPTY.orElse(NOTHING).orElse(user("bob")))).isEqualTo("user:bob");
    assertThat(keyOf(NOTHING.orElse(EMPTY))).isNull();
  }

  @Test
  void combinesKeysOnlyIfBothAreThere() {
    assertThat(keyOf(user("ann").and(user("bob")))).isEqualTo("(user:ann|user:bob)");
    assertThat(keyOf(user("ann").and(NOTHING))).isNull();
    assertThat(keyOf(NOTHING.and(user("ann")))).isNull();
    assertThat(keyOf(EMPTY.and(user("ann")))).isNull();
  }

  @Test
  void combinationsOfDifferentKeysAreDifferent() {
    assertThat(keyOf(user("a|user:b").and(user("c"))))
        .isNotEqualTo(keyOf(user("a").and(user("b|user:c"))));
    assertThat(keyOf(user("a\\").and(user("b")))).isEqualTo("(user:a\\\\|user:b)");
    assertThat(keyOf(user("a").and(user("b")).and(user("c"))))
        .isNotEqualTo(keyOf(user("a").and(user("b").and(user("c")))));
  }

  @Test
  void ofSeveralEntriesTheLastCounts() {
    Metadata headers = new Metadata();
    Metadata.Key<String> name = Metadata.Key.of("x-client", Metadata.ASCII_STRING_MARSHALLER);
    headers.put(name, "one");
    headers.put(name, "two");

    assertThat(CallKey.metadata("X-Client").keyOf(null, headers))
        .isEqualTo("metadata:x-client:two");
    assertThat(CallKey.apiKey("x-client").keyOf(null, headers)).isEqualTo(Keys.ofApiKey("two"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "User", "1a", "a:b", "sha256", "a b", "abcdefghijklmnopqrstuvwxyz0123456"})
  void refusesPrefixesThatCouldBeTakenForOthers(String prefix) {
    assertThatThrownBy(() -> CallKey.by(prefix, (call, headers) -> "x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("prefix must be 1 to 32 lower-case letters, digits and hyphens")
        .hasMessageEndingWith("was '" + prefix + "'");
  }

  @Test
  void refusesMetadataThatIsNotText() {
    assertThatThrownBy(() -> CallKey.metadata("x-client-bin"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
