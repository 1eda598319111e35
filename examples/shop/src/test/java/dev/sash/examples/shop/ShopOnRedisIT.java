package dev.sash.examples.shop;

import static dev.sash.examples.shop.BruteForce.leadsTo;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The executable jar in a process of its own, with limits in a real Redis that goes away. */
@Timeout(120)
class ShopOnRedisIT {
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin/java").toString();
  private static final Pattern ADDRESS = Pattern.compile("'(http://[0-9.:]+)/api/search");

  @ParameterizedTest
  @ValueSource(strings = {"SPRING_DATA_REDIS_URL", "SASH_REDIS_URI"})
  void withoutRedisNobodyLogsInAndSearchesGoOnByTheLocalRule(String variable) throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      Process process = start(variable, redis.uri());
      try {
        Customer customer = new Customer(addressOf(process));
        assertThat(customer.logIn("ann", "sesame").statusCode()).isEqualTo(302);
        assertThat(customer.search().statusCode()).isEqualTo(200);
        assertThat((List<?>) redis.command("KEYS", "*search*")).hasSize(1);
        redis.kill();

        HttpResponse<String> undecided = customer.logIn("ann", "sesame");
        assertThat(undecided.statusCode()).isEqualTo(503);
        assertThat(undecided.headers().firstValue("Retry-After")).isPresent();
        assertThat(undecided.body()).contains("#temporary-reduced-capacity");
        for (int i = 1; i <= 29; i++) { // one more was admitted by Redis
          assertThat(customer.search().statusCode()).isEqualTo(200);
        }
        assertThat(customer.search().statusCode()).isEqualTo(429);
      } finally {
        process.destroyForcibly().waitFor();
      }
    }
  }

  @Test
  void guessesByFormAndByBasicShareALimitOnRedis() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      Process process = start("SASH_REDIS_URI", redis.uri());
      try {
        Customer customer = new Customer(addressOf(process));
        String ann = Customer.basic("ann", "sesame");
        for (int i = 1; i <= 10; i++) {
          assertThat(customer.logIn("ann", "sesame")).matches(r -> leadsTo(r, "/api/orders"));
          assertThat(customer.orders("Authorization", ann).statusCode()).isEqualTo(200);
        }

        List<HttpResponse<String>> responses =
            BruteForce.run(
                300,
                guess ->
                    guess % 2 == 0
                        ? customer.orders("Authorization", Customer.basic("ann", "guess" + guess))
                        : customer.logIn("ann", "guess" + guess));
        assertThat(BruteForce.wrongPasswords(responses)).hasSize(5);
        List<HttpResponse<String>> denied = BruteForce.denied(responses);
        assertThat(denied).hasSize(295);
        assertThat(denied)
            .allMatch(r -> r.headers().firstValueAsLong("Retry-After").orElseThrow() <= 900)
            .allMatch(r -> r.body().contains("\"violated-policies\":[\"login\"]"));
        assertThat(customer.logIn("ann", "sesame").statusCode()).isEqualTo(429);
        assertThat(customer.logIn("bob", "guess")).matches(r -> leadsTo(r, "/login?error"));
      } finally {
        process.destroyForcibly().waitFor();
      }
    }
  }

  /** On a free port, and with time enough for the first decisions of a cold JVM. */
  private static Process start(String variable, String redis) throws IOException {
    ProcessBuilder command =
        new ProcessBuilder(
            JAVA,
            "-XX:TieredStopAtLevel=1",
            "-jar",
            "target/example.jar",
            "--server.port=0",
            "--sash.policies.login.deadline=10s",
            "--sash.policies.login-address.deadline=10s",
            "--sash.policies.orders.deadline=10s",
            "--sash.policies.search.deadline=10s");
    command.environment().keySet().removeIf(name -> name.matches("(SASH|SPRING)_.*"));
    command.environment().put(variable, redis);
    return command.redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** As it says what to try. */
  private static String addressOf(Process process) throws IOException {
    StringBuilder said = new StringBuilder();
    for (String line; (line = process.inputReader(UTF_8).readLine()) != null; ) {
      Matcher address = ADDRESS.matcher(line);
      if (address.find()) {
        return address.group(1);
      }
      said.append(line).append('\n');
    }
    throw new IllegalStateException("ended instead of serving: " + said);
  }
}
