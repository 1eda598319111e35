package dev.sash.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.redis.RedisDocument.Content;
import dev.sash.store.StoreException;
import dev.sash.testkit.redis.RedisCluster;
import dev.sash.testkit.redis.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RedisDocumentIT {
  /** As docs/redis.md states them. */
  private static final String RIGHTS =
      "~sash:* -@all +evalsha +eval +time +get +set +hget +hset +hdel +pexpireat +pttl +unlink"
          + " +scan +hello +ping +client";

  private static RedisServer server;
  private static RedisStore store;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
    store = RedisStore.connect(server.uri());
  }

  @AfterAll
  static void stop() {
    store.close();
    server.close();
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static Content content(String version, String text) {
    return new Content(version, text.getBytes(UTF_8));
  }

  private static String text(RedisDocument document) {
    return new String(get(document.read("")).orElseThrow().content(), UTF_8);
  }

  @Test
  void isReadAsItWasReplacedAndNotWhenItsVersionIsKnown() {
    RedisDocument document = store.document("plain");
    assertThat(get(document.read("")).orElseThrow().version()).isEmpty();
    assertThat(get(document.replace("", content("one", "a\nb")))).isTrue();

    Content found = get(document.read("")).orElseThrow();
    assertThat(found.version()).isEqualTo("one");
    assertThat(text(document)).isEqualTo("a\nb");
    assertThat(get(document.read("one"))).isEqualTo(Optional.empty());
    assertThat(get(store.document("other").read("")).orElseThrow().version()).isEmpty();
  }

  @Test
  void isReplacedOnlyIfItHasTheExpectedVersion() {
    RedisDocument document = store.document("versions");
    assertThat(get(document.replace("one", content("two", "b")))).isFalse();
    assertThat(get(document.replace("", content("one", "a")))).isTrue();
    assertThat(get(document.replace("", content("two", "b")))).isFalse();
    assertThat(text(document)).isEqualTo("a");
    assertThat(get(document.replace("one", content("two", "b")))).isTrue();
    assertThat(text(document)).isEqualTo("b");
  }

  @Test
  void holdsAnyBytesUpToItsBound() {
    RedisDocument document = store.document("large");
    byte[] bytes = new byte[RedisDocument.MAX_BYTES];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    assertThat(get(document.replace("", new Content("one", bytes)))).isTrue();
    assertThat(get(document.read("")).orElseThrow().content()).isEqualTo(bytes);
    assertThatThrownBy(
            () -> document.replace("one", new Content("two", new byte[bytes.length + 1])))
        .hasMessage("bytes of a document must be between 0 and 16777216, was 16777217");
    for (String wrong : List.of("", "a b", "a\n", "v".repeat(65))) {
      assertThatThrownBy(() -> document.replace("one", content(wrong, "a")))
          .hasMessageStartingWith("version must be 1 to 64 of");
    }
  }

  @RepeatedTest(20)
  void ofChangesFromSeveralProcessesAtOnceNoneIsLost(RepetitionInfo repetition) throws Exception {
    String name = "race-" + repetition.getCurrentRepetition();
    ExecutorService crowd = Executors.newFixedThreadPool(4);
    try (RedisStore second = RedisStore.connect(server.uri())) {
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        String letter = "abcd".substring(i, i + 1);
        RedisDocument document = (i % 2 == 0 ? store : second).document(name);
        writers.add(crowd.submit(() -> append(document, letter)));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
      String all = text(store.document(name));
      assertThat(all).hasSize(40);
      for (String letter : List.of("a", "b", "c", "d")) {
        assertThat(all.replaceAll("[^" + letter + "]", "")).hasSize(10);
      }
    } finally {
      crowd.shutdownNow();
    }
  }

  private static void append(RedisDocument document, String letter) {
    for (int done = 0; done < 10; ) {
      Content found = get(document.read("")).orElseThrow();
      String next = new String(found.content(), UTF_8) + letter;
      done += get(document.replace(found.version(), content(letter + done, next))) ? 1 : 0;
    }
  }

  @Test
  void needsNoRightsThatDecisionsDoNotNeed() {
    List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", "limited", "on", ">secret"));
    words.addAll(List.of(RIGHTS.split(" ")));
    server.command(words.toArray(String[]::new));
    String uri = server.uri().replace("redis://", "redis://limited:secret@");
    try (RedisStore limited = RedisStore.connect(uri)) {
      RedisDocument document = limited.document("rights");
      assertThat(get(document.replace("", content("one", "a")))).isTrue();
      assertThat(text(document)).isEqualTo("a");
    }
  }

  @Test
  void saysThatRedisIsUnavailableOrHoldsSomethingElse() {
    try (RedisServer own = RedisServer.start();
        RedisStore its = RedisStore.connect(own.uri())) {
      RedisDocument document = its.document("foreign");
      own.command("SET", "sash:v2:{_document:foreign}:version", "one");
      own.command("SET", "sash:v2:{_document:foreign}:content", "no version");
      assertThatThrownBy(() -> get(document.read("")))
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(StoreException.class);
      own.kill();
      assertThatThrownBy(() -> get(document.replace("one", content("two", "a"))))
          .hasCauseInstanceOf(StoreException.class);
      assertThatThrownBy(() -> get(document.read(""))).hasCauseInstanceOf(StoreException.class);
    }
  }

  @Test
  void liesInOneSlotOfACluster() throws Exception {
    try (RedisCluster cluster = RedisCluster.start()) {
      String uri = cluster.uris().get(0).replace("redis://", "redis-cluster://");
      try (RedisStore its = RedisStore.connect(uri)) {
        for (String name : List.of("a", "b", "c", "d")) {
          RedisDocument document = its.document(name);
          assertThat(get(document.replace("", content("one", name)))).isTrue();
          assertThat(text(document)).isEqualTo(name);
        }
      }
    }
  }
}
