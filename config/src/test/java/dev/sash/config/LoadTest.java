package dev.sash.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sash.config.envoy.RlsCharging;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadTest {
  @TempDir Path folder;

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private static String messageFor(Path path) {
    return catchThrowableOfType(ConfigurationException.class, () -> Configuration.load(path))
        .getMessage();
  }

  @Test
  void readsAFile() throws IOException {
    Path file = write("sash.conf", "policies: {p: {limit: 5/s}}");

    assertThat(Configuration.load(file).policies()).containsOnlyKeys("p");
  }

  @Test
  void readsTheFilesOfADirectoryTogether() throws IOException {
    write("b.yaml", "policies: {b: {limit: 5/s}}\nrls: {charge: each}");
    write("a.yml", "policies: {a: {limit: 5/s}}\nad-hoc-limits: true");
    write("envoy.yaml", "domain: shop");
    write("old.yaml", "rate-limiter: {window-size: 1, max-requests: 5}");
    write("README.md", "not this");
    write(".hidden.yaml", "nor: this");
    Files.createDirectory(folder.resolve("folder.yaml"));

    Configuration read = Configuration.load(folder);

    assertThat(read.policies().keySet()).containsExactly("a", "b", "default");
    assertThat(read.domains()).containsOnlyKeys("shop");
    assertThat(read.adHocLimits()).isTrue();
    assertThat(read.rls().charging()).isEqualTo(RlsCharging.EACH);
  }

  @Test
  void namesBothPlacesOfWhatIsSaidTwice() throws IOException {
    String text =
        """
        trusted-proxies: 127.0.0.1
        ad-hoc-limits: true
        rls: {charge: each}
        policies:
          default: {limit: 5/s}
        """;
    Path a = write("a.yaml", text);
    Path b = write("b.yaml", text);
    Path c = write("c.yaml", "domain: d");
    Path d = write("d.yaml", "domain: d");
    Path e = write("e.yaml", "rate-limiter: {window-size: 1, max-requests: 5}");

    assertThat(messageFor(folder).lines())
        .containsExactly(
            b + ":1:1: trusted-proxies stands at " + a + ":1:1 already",
            b + ":2:1: ad-hoc-limits stands at " + a + ":2:1 already",
            b + ":3:1: rls stands at " + a + ":3:1 already",
            b + ":5:3: policy 'default' stands at " + a + ":5:3 already",
            d + ":1:1: domain 'd' stands at " + c + ":1:1 already",
            e + ":1:1: policy 'default' stands at " + a + ":5:3 already");
  }

  @Test
  void saysWhatIsWrongInAllFiles() throws IOException {
    Path a = write("a.yaml", "policies: {p: {limit: 5/s}}\nrsl: {}");
    Path b = write("b.yaml", "");

    assertThat(messageFor(folder).lines())
        .containsExactly(
            a
                + ":2:1: unknown name 'rsl', allowed are policies, trusted-proxies, forwarded-by,"
                + " deny-status, ad-hoc-limits,"
                + " rls; did you mean 'rls'?",
            b + ": says nothing: must have policies, or a domain, or rate-limiter");
  }

  @Test
  void saysThatThereIsNothingToRead() {
    Path missing = folder.resolve("missing.yaml");

    assertThat(messageFor(missing)).isEqualTo(missing + ": there is no such file");
    assertThat(messageFor(folder)).isEqualTo(folder + ": has no file *.yaml or *.yml");
  }

  @Test
  void saysWhereAFileIsNotUtf8() throws IOException {
    Path file = folder.resolve("latin1.yaml");
    Files.write(file, "a: 1\nb: \u00e4".getBytes(StandardCharsets.ISO_8859_1));

    assertThat(messageFor(file)).isEqualTo(file + ":2:4: is not UTF-8");
  }

  @Test
  void readsNoMoreThanAMebibyte() throws IOException {
    Path file = write("large.yaml", "#".repeat((1 << 20) + 1));

    assertThat(messageFor(file)).isEqualTo(file + ": must not be longer than 1048576 bytes");
  }
}
