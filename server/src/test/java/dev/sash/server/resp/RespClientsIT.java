package dev.sash.server.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import dev.sash.redis.RedisStore;
import dev.sash.server.access.RespCredentials;
import dev.sash.testkit.redis.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.ProtocolVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lettuce, with the state in memory and in Redis. */
@Timeout(120)
class RespClientsIT {
  private static final ProtocolKeyword CHECK = keyword("SASH.CHECK");
  private static final ProtocolKeyword THROTTLE = keyword("CL.THROTTLE");
  private static final int THREADS = 8;
  private static final int EACH = 125; // twice the limit of 500

  private static RedisServer redis;
  private static TestServer inMemory;
  private static TestServer onRedis;
  private static RedisClient lettuce;

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
    inMemory = new TestServer();
    onRedis = new TestServer(RedisStore.connect(redis.uri()), RespOptions.builder());
    lettuce = RedisClient.create();
  }

  @AfterAll
  static void stop() {
    lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(5));
    onRedis.close();
    inMemory.close();
    redis.close();
  }

  @ParameterizedTest
  @EnumSource(ProtocolVersion.class)
  void lettuceSpeaksBothVersions(ProtocolVersion version) {
    try (RedisClient client = RedisClient.create(uri(inMemory))) {
      client.setOptions(ClientOptions.builder().protocolVersion(version).build());
      try (StatefulRedisConnection<String, String> connection = client.connect()) {
        assertThat(connection.sync().ping()).isEqualTo("PONG");
        assertThat(call(connection, CHECK, "api", "lettuce " + version))
            .isEqualTo(List.of(1L, 3L, 2L, 0L, 3_600_000L, "store"));
        assertThat(call(connection, THROTTLE, "lettuce " + version, "15", "30", "60"))
            .isEqualTo(List.of(0L, 16L, 15L, -1L, 2L));
        assertThatExceptionOfType(RedisCommandExecutionException.class)
            .isThrownBy(() -> call(connection, CHECK, "nope", "ann"))
            .withMessage("NOPOLICY there is no policy 'nope'");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(ProtocolVersion.class)
  void lettuceTellsThePassword(ProtocolVersion version) {
    RespOptions.Builder options =
        RespOptions.builder().credentials(RespCredentials.of("shop", "secret"));
    try (TestServer guarded = new TestServer(options);
        RedisClient client = RedisClient.create()) {
      client.setOptions(ClientOptions.builder().protocolVersion(version).build());
      RedisURI right = RedisURI.builder(uri(guarded)).withAuthentication("shop", "secret").build();
      try (StatefulRedisConnection<String, String> connection =
          client.connect(StringCodec.UTF8, right)) {
        assertThat(connection.sync().ping()).isEqualTo("PONG");
      }
      RedisURI wrong = RedisURI.builder(uri(guarded)).withAuthentication("shop", "guess").build();
      assertThatExceptionOfType(RedisConnectionException.class)
          .isThrownBy(() -> client.connect(StringCodec.UTF8, wrong).close());
    }
  }

  @RepeatedTest(20)
  void admitsExactlyTheLimitInMemory(RepetitionInfo repetition) throws Exception {
    assertThat(allowed(inMemory, "crowd " + repetition.getCurrentRepetition())).isEqualTo(500);
  }

  @RepeatedTest(20)
  void admitsExactlyTheLimitOnRedis(RepetitionInfo repetition) throws Exception {
    assertThat(allowed(onRedis, "crowd " + repetition.getCurrentRepetition())).isEqualTo(500);
  }

  /** Many threads, each with a pipeline on a connection that two of them share. */
  private static int allowed(TestServer server, String key) throws Exception {
    List<StatefulRedisConnection<String, String>> connections = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      for (int i = 0; i < THREADS / 2; i++) {
        connections.add(lettuce.connect(StringCodec.UTF8, uri(server)));
      }
      List<Callable<Integer>> members = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        StatefulRedisConnection<String, String> connection = connections.get(i / 2);
        members.add(() -> allowed(connection, key));
      }
      int allowed = 0;
      for (Future<Integer> member : pool.invokeAll(members)) {
        allowed += member.get();
      }
      return allowed;
    } finally {
      pool.shutdown();
      connections.forEach(StatefulRedisConnection::close);
    }
  }

  private static int allowed(StatefulRedisConnection<String, String> connection, String key)
      throws Exception {
    List<RedisFuture<List<Object>>> replies = new ArrayList<>();
    for (int i = 0; i < EACH; i++) {
      replies.add(dispatch(connection, CHECK, "crowd", key));
    }
    int allowed = 0;
    for (RedisFuture<List<Object>> reply : replies) {
      allowed += reply.get(30, TimeUnit.SECONDS).get(0).equals(1L) ? 1 : 0;
    }
    return allowed;
  }

  /** Replies that are known at once stand between those that Redis has to be asked for. */
  @RepeatedTest(20)
  void keepsTheOrderWhileRedisIsAsked(RepetitionInfo repetition) throws Exception {
    String key = "order " + repetition.getCurrentRepetition();
    try (RawClient client = onRedis.connect()) {
      int count = 3_000; // more than may wait at a time
      Thread sender =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < count; i++) {
                    client.send(RawClient.request("SASH.CHECK", "wide", key));
                    client.send(RawClient.request("ECHO", Integer.toString(i)));
                  }
                  client.endOutput();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      sender.start();
      for (int i = 0; i < count; i++) {
        assertThat(client.reply()).asInstanceOf(LIST).startsWith(1L, 1_000_000L, 999_999L - i);
        assertThat(client.reply()).isEqualTo(Integer.toString(i));
      }
      assertThat(client.repliesToTheEnd()).isEmpty();
      sender.join();
    }
  }

  @Test
  void throttlesOnRedis() throws Exception {
    try (RawClient client = onRedis.connect()) {
      client.send("CL.THROTTLE ann 4 1 60 5\r\nCL.THROTTLE ann 4 1 60\r\n");
      assertThat(client.replies(2))
          .isEqualTo(List.of(List.of(0L, 5L, 0L, -1L, 300L), List.of(1L, 5L, 0L, 60L, 300L)));
    }
  }

  private static List<Object> call(
      StatefulRedisConnection<String, String> connection,
      ProtocolKeyword command,
      String... words) {
    return connection.sync().dispatch(command, output(), args(words));
  }

  private static RedisFuture<List<Object>> dispatch(
      StatefulRedisConnection<String, String> connection,
      ProtocolKeyword command,
      String... words) {
    return connection.async().dispatch(command, output(), args(words));
  }

  private static NestedMultiOutput<String, String> output() {
    return new NestedMultiOutput<>(StringCodec.UTF8);
  }

  private static CommandArgs<String, String> args(String... words) {
    CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
    for (String word : words) {
      args.add(word);
    }
    return args;
  }

  private static RedisURI uri(TestServer server) {
    return RedisURI.create("127.0.0.1", server.port());
  }

  private static ProtocolKeyword keyword(String name) {
    return new ProtocolKeyword() {
      @Override
      public byte[] getBytes() {
        return name.getBytes(StandardCharsets.US_ASCII);
      }

      @Override
      public String toString() {
        return name;
      }
    };
  }
}
