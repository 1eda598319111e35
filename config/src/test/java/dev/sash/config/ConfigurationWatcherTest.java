package dev.sash.config;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationWatcherTest {
  /** So long that only calls of poll() look. */
  private static final Duration NEVER = Duration.ofDays(1);

  /** Records the calls. */
  private static final class Told implements ConfigurationWatcher.Listener {
    final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    @Override
    public void changed(Configuration configuration) {
      events.add(configuration.policies().keySet().toString());
    }

    @Override
    public void refused(ConfigurationException exception) {
      events.add(exception.problems().get(0).message());
    }
  }

  @TempDir Path folder;
  private final Told told = new Told();
  private Path file;

  @BeforeEach
  void writeTheFirst() throws IOException {
    file = folder.resolve("sash.yaml");
    write("a");
  }

  private static String policy(String name) {
    return "policies: {" + name + ": {limit: 5/s}}";
  }

  private void write(String name) throws IOException {
    Files.writeString(file, policy(name));
  }

  private ConfigurationWatcher watch(Path path) {
    return ConfigurationWatcher.watch(path, told, NEVER);
  }

  private static void pollTwice(ConfigurationWatcher watcher) {
    watcher.poll();
    watcher.poll();
  }

  @Test
  void tellsOnceOfAChangeThatStays() throws IOException {
    try (ConfigurationWatcher watcher = watch(file)) {
      pollTwice(watcher);
      assertThat(told.events).isEmpty();
      assertThat(watcher.current().policies()).containsOnlyKeys("a");

      write("b");
      watcher.poll();
      assertThat(told.events).as("perhaps only half of it").isEmpty();
      watcher.poll();
      assertThat(told.events).containsExactly("[b]");
      assertThat(watcher.current().policies()).containsOnlyKeys("b");

      pollTwice(watcher);
      write("b");
      pollTwice(watcher);
      assertThat(told.events).containsExactly("[b]");
    }
  }

  @Test
  void keepsTheLastGoodOneWhileTheFileIsBad() throws IOException {
    try (ConfigurationWatcher watcher = watch(file)) {
      Files.writeString(file, "policies: 5");
      pollTwice(watcher);
      pollTwice(watcher);
      assertThat(watcher.current().policies()).containsOnlyKeys("a");
      Files.delete(file);
      pollTwice(watcher);
      pollTwice(watcher);
      assertThat(watcher.current().policies()).containsOnlyKeys("a");
      write("a");
      pollTwice(watcher);

      assertThat(told.events)
          .containsExactly(
              "policies must be a mapping with a policy or more by name, was '5'",
              "there is no such file",
              "[a]");
    }
  }

  @Test
  void reloadsAtOnce() throws IOException {
    try (ConfigurationWatcher watcher = watch(file)) {
      Configuration first = watcher.current();
      assertThat(watcher.reload()).isSameAs(first);
      write("b");
      assertThat(watcher.reload().policies()).containsOnlyKeys("b");
      pollTwice(watcher);
      assertThat(told.events).containsExactly("[b]");

      Files.writeString(file, "policies: 5");
      for (int i = 0; i < 2; i++) {
        assertThatExceptionOfType(ConfigurationException.class)
            .isThrownBy(watcher::reload)
            .withMessageContaining("policies must be a mapping");
      }
      assertThat(watcher.current().policies()).containsOnlyKeys("b");
      assertThat(told.events).hasSize(2);
    }
  }

  @Test
  void seesAFileThatIsReplacedByAnother() throws IOException {
    try (ConfigurationWatcher watcher = watch(file)) {
      Path other = Files.writeString(folder.resolve("new"), policy("b"));
      Files.setLastModifiedTime(other, Files.getLastModifiedTime(file));
      Files.move(other, file, ATOMIC_MOVE);
      pollTwice(watcher);

      assertThat(told.events).containsExactly("[b]");
    }
  }

  /** {@code sash.yaml -> ..data/sash.yaml}, and {@code ..data -> ..1}, then {@code ..2}. */
  @Test
  void seesAMountedConfigMapChange() throws IOException {
    Path mount = Files.createDirectory(folder.resolve("mount"));
    for (String version : new String[] {"1", "2"}) {
      Path versioned = Files.createDirectory(mount.resolve(".." + version));
      Files.writeString(versioned.resolve("sash.yaml"), policy("v" + version));
    }
    Path data = Files.createSymbolicLink(mount.resolve("..data"), Path.of("..1"));
    Path link =
        Files.createSymbolicLink(mount.resolve("sash.yaml"), Path.of("..data", "sash.yaml"));

    try (ConfigurationWatcher ofFile = watch(link);
        ConfigurationWatcher ofFolder = watch(mount)) {
      assertThat(ofFolder.current().policies()).containsOnlyKeys("v1");
      Path next = Files.createSymbolicLink(mount.resolve("..data_tmp"), Path.of("..2"));
      Files.move(next, data, ATOMIC_MOVE);
      pollTwice(ofFile);
      pollTwice(ofFolder);

      assertThat(told.events).containsExactly("[v2]", "[v2]");
    }
  }

  @Test
  void seesFilesComeAndGo() throws IOException {
    try (ConfigurationWatcher watcher = watch(folder)) {
      Path second = Files.writeString(folder.resolve("second.yaml"), policy("b"));
      pollTwice(watcher);
      Files.writeString(folder.resolve("notes.txt"), "nothing");
      pollTwice(watcher);
      Files.delete(second);
      pollTwice(watcher);

      assertThat(told.events).containsExactly("[a, b]", "[a]");
    }
  }

  @Test
  void startsWithAGoodFileOnly() throws IOException {
    Files.writeString(file, "policies: 5");

    assertThatExceptionOfType(ConfigurationException.class).isThrownBy(() -> watch(file));
  }

  @Test
  void survivesAListenerThatThrows() throws IOException {
    ConfigurationWatcher.Listener broken =
        new ConfigurationWatcher.Listener() {
          @Override
          public void changed(Configuration configuration) {
            told.changed(configuration);
            throw new IllegalStateException("on purpose");
          }

          @Override
          public void refused(ConfigurationException exception) {}
        };
    try (ConfigurationWatcher watcher = ConfigurationWatcher.watch(file, broken, NEVER)) {
      write("b");
      pollTwice(watcher);
      write("c");
      assertThat(watcher.reload().policies()).containsOnlyKeys("c");
      assertThat(told.events).containsExactly("[b]", "[c]");
    }
  }

  @Test
  void isQuietOnceClosed() throws IOException {
    ConfigurationWatcher watcher = watch(file);
    watcher.close();
    write("b");
    pollTwice(watcher);

    assertThat(told.events).isEmpty();
    assertThat(watcher.current().policies()).containsOnlyKeys("a");
    assertThatIllegalStateException().isThrownBy(watcher::reload);
  }

  @RepeatedTest(20)
  void looksByItself() throws Exception {
    try (ConfigurationWatcher watcher =
        ConfigurationWatcher.watch(file, told, Duration.ofMillis(5))) {
      write("b");
      assertThat(told.events.poll(30, TimeUnit.SECONDS)).isEqualTo("[b]");
      assertThat(watcher.current().policies()).containsOnlyKeys("b");
    }
  }
}
