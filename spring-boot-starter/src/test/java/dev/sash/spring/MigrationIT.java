package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** What docs/spring-migration.md says of its first example, on a real server. */
@Timeout(120)
class MigrationIT {
  @TempDir Path folder;

  @Configuration(proxyBeanMethods = false)
  static class Users {
    @Bean
    SecurityFilterChain chain(HttpSecurity http) {
      return http.csrf(csrf -> csrf.disable())
          .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
          .httpBasic(Customizer.withDefaults())
          .build();
    }

    @Bean
    UserDetailsService users() {
      return new InMemoryUserDetailsManager(
          User.withUsername("ann").password("{noop}pass").build(),
          User.withUsername("admin").password("{noop}pass").build());
    }
  }

  private TestApp migrated() throws Exception {
    Path configuration =
        Files.writeString(folder.resolve("application.yaml"), MigrationDocTest.after().get(0));
    return TestApp.servlet(Shop.class, Users.class)
        .withSecurity()
        .with("spring.config.location=" + configuration.toUri())
        .start();
  }

  private static HttpResponse<String> hello(TestApp app, String user) throws Exception {
    String credentials =
        Base64.getEncoder().encodeToString((user + ":pass").getBytes(StandardCharsets.UTF_8));
    return app.get("/api/hello", "Authorization", "Basic " + credentials);
  }

  @Test
  void addressesUsersAndTheAdministratorHaveTheLimitsThatTheyHadWithBucket4j() throws Exception {
    try (TestApp app = migrated()) {
      for (int i = 0; i < 10; i++) {
        assertThat(app.get("/api/hello").statusCode()).isEqualTo(200);
      }
      HttpResponse<String> denied = app.get("/api/hello");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(denied.body()).isEqualTo("{\"message\": \"Too many requests\"}");
      assertThat(TestApp.field(denied, "Content-Type")).isEqualTo("application/json");

      HttpResponse<String> user = hello(app, "ann");
      assertThat(user.statusCode()).isEqualTo(200);
      assertThat(TestApp.field(user, "RateLimit-Policy")).isEqualTo("\"api\";q=1000;w=60");
      HttpResponse<String> administrator = hello(app, "admin");
      assertThat(administrator.statusCode()).isEqualTo(200);
      assertThat(administrator.headers().firstValue("RateLimit-Policy")).isEmpty();
    }
  }

  @Test
  void onlyFailedLoginsAreCharged() throws Exception {
    try (TestApp app = migrated()) {
      String form = "application/x-www-form-urlencoded";
      for (int i = 0; i < 10; i++) {
        assertThat(app.post("/login", form, "password=right").statusCode()).isEqualTo(200);
      }
      for (int i = 0; i < 5; i++) {
        assertThat(app.post("/login", form, "password=wrong").statusCode()).isEqualTo(401);
      }
      assertThat(app.post("/login", form, "password=right").statusCode()).isEqualTo(429);
    }
  }
}
