package dev.sash.server.override;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Limit;
import dev.sash.server.override.AuditEntry.Action;
import dev.sash.server.override.OverrideStorage.Stored;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredFormTest {
  private static final Instant NOW = Instant.parse("2026-11-01T12:00:00.123Z");

  private static KeyOverride override(String key, boolean isPrefix) {
    return new KeyOverride(
        new Target("api", key, isPrefix),
        Effect.LIMITS,
        List.of(Limit.parse("5/1m"), Limit.parse("50/1h token-bucket capacity=70")),
        "a \"reason\" \\ <script>",
        "Zoë 😀",
        NOW,
        isPrefix ? null : NOW.plusSeconds(60));
  }

  private static OverrideState state() {
    KeyOverride one = override("user:42", false);
    OverrideState state =
        OverrideState.EMPTY.with(one, new AuditEntry(NOW, Action.SET, "ann", "why", one));
    KeyOverride two = override("user:", true);
    return state.with(two, new AuditEntry(NOW, Action.REMOVE, "bob", "not", two));
  }

  @Test
  void readsWhatItWrites() {
    OverrideState read = StoredForm.read(StoredForm.write(state()));

    assertThat(read.overrides()).containsExactlyElementsOf(state().overrides()).hasSize(2);
    assertThat(read.audit()).isEqualTo(state().audit()).hasSize(2);
  }

  @Test
  void refusesEveryPartOfADocument() {
    byte[] whole = StoredForm.write(state());
    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> StoredForm.read(part)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void refusesOtherFormatsAndOtherFields() {
    for (String text :
        List.of(
            "{}",
            "[]",
            "{\"format\":2,\"overrides\":[],\"audit\":[]}",
            "{\"format\":1,\"overrides\":[],\"audit\":[]} 1",
            "{\"format\":1,\"overrides\":[{}],\"audit\":[]}",
            "{\"format\":1,\"overrides\":[],\"audit\":[{\"action\":\"dance\"}]}",
            "{\"format\":1,\"overrides\":{},\"audit\":[]}")) {
      assertThatThrownBy(() -> StoredForm.read(text.getBytes(UTF_8)))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("stored overrides must");
    }
  }

  @Test
  void boundsTheirNumberAndTheirBytes() {
    List<KeyOverride> many = new ArrayList<>();
    for (int i = 0; i < OverrideState.MAX_OVERRIDES; i++) {
      many.add(override("k" + i, false));
    }
    OverrideState full = new OverrideState(many, List.of());
    KeyOverride more = override("more", false);
    AuditEntry action = new AuditEntry(NOW, Action.SET, "ann", "why", more);
    assertThatThrownBy(() -> full.with(more, action))
        .hasMessage("overrides must be at most 10000, were 10001");
    assertThat(StoredForm.read(StoredForm.write(full)).overrides()).hasSize(10_000);
    // Those that have expired make room.
    AuditEntry later = new AuditEntry(NOW.plusSeconds(60), Action.SET, "ann", "why", more);
    assertThat(full.with(more, later).overrides()).containsExactly(more);

    List<KeyOverride> large = new ArrayList<>();
    for (int i = 0; i < 4_000; i++) {
      large.add(override("%04d".formatted(i) + "k".repeat(1_020), false));
    }
    assertThatThrownBy(() -> new OverrideState(large, List.of()))
        .hasMessageStartingWith("overrides must take at most 4194304 bytes, took ");
  }

  @Test
  void keepsTheLatestThousandActions() {
    List<AuditEntry> actions = new ArrayList<>();
    for (int i = 0; i < 1_234; i++) {
      actions.add(new AuditEntry(NOW, Action.SET, "author " + i, "why", override("k", false)));
    }
    assertThat(new OverrideState(List.of(), actions).audit())
        .isEqualTo(actions.subList(234, 1_234));
  }

  @Test
  void aFileHoldsWhatWasStoredUntilItIsReplaced(@TempDir Path folder) {
    FileStorage storage = new FileStorage(folder);
    assertThat(read(storage).version()).isEmpty();
    storage.replace("", new Stored("one", StoredForm.write(OverrideState.EMPTY)));
    storage.replace("one", new Stored("two", StoredForm.write(state())));

    Stored found = read(new FileStorage(folder));
    assertThat(found.version()).isEqualTo("two");
    assertThat(StoredForm.read(found.content()).overrides()).hasSize(2);
    assertThat(folder).isDirectoryNotContaining("glob:**.new");
  }

  @Test
  void aFileThatIsDamagedInAnyByteIsKeptAsideAndNotUsed(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("overrides.sash");
    byte[] whole = FileStorage.format(new Stored("one", StoredForm.write(state())));
    for (int i = 0; i < whole.length; i++) {
      byte[] damaged = whole.clone();
      damaged[i] ^= 4;
      Files.write(file, damaged);
      Stored found = read(new FileStorage(folder));
      // The version is only compared.
      if (i < "SASHOVERRIDES 1 ".length() || i > "SASHOVERRIDES 1 one".length()) {
        assertThat(found.version()).as("byte %d", i).isEmpty();
        assertThat(folder.resolve("overrides.sash.refused")).hasBinaryContent(damaged);
        assertThat(file).doesNotExist();
      }
    }
  }

  private static Stored read(FileStorage storage) {
    return storage.read("").toCompletableFuture().join();
  }
}
