package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.LimiterRegistry;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.AuthenticationEventPublisher;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Failed logins, as a real Spring Security reports them. */
@Timeout(120)
class LoginIT {
  private static final String FORM = "application/x-www-form-urlencoded";

  private static TestApp.Builder app(WebApplicationType type, Class<?>... more) {
    List<Class<?>> sources = new ArrayList<>(List.of(Shop.class, Secured.class));
    sources.addAll(List.of(more));
    Class<?>[] all = sources.toArray(Class<?>[]::new);
    return (type == WebApplicationType.SERVLET ? TestApp.servlet(all) : TestApp.reactive(all))
        .withSecurity()
        .with("spring.security.user.name=ann", "spring.security.user.password=s3cret")
        .with("sash.policies.guesses.limits=3/15m")
        .with("sash.policies.guesses.charge-only-failed-logins=true");
  }

  /** Login by form and by Basic. */
  @Configuration(proxyBeanMethods = false)
  @Import({Servlets.class, WebFlux.class})
  static class Secured {}

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  static class Servlets {
    @Bean
    SecurityFilterChain chain(HttpSecurity http) {
      return http.csrf(csrf -> csrf.disable())
          .authorizeHttpRequests(
              requests ->
                  requests.requestMatchers("/json").permitAll().anyRequest().authenticated())
          .formLogin(Customizer.withDefaults())
          .httpBasic(Customizer.withDefaults())
          .build();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
  static class WebFlux {
    @Bean
    SecurityWebFilterChain chain(ServerHttpSecurity http) {
      return http.csrf(csrf -> csrf.disable())
          .authorizeExchange(requests -> requests.anyExchange().authenticated())
          .formLogin(Customizer.withDefaults())
          .httpBasic(Customizer.withDefaults())
          .build();
    }
  }

  private static HttpResponse<String> login(TestApp app, String name, String password)
      throws Exception {
    return app.post("/login", FORM, "username=" + name + "&password=" + password);
  }

  private static String basic(String credentials) {
    return "Basic "
        + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
  }

  private static long used(TestApp app, String key) {
    return app.bean(LimiterRegistry.class).get("guesses").peek(key).used();
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = Mode.EXCLUDE)
  void aFormLoginThatFailsWithARedirectIsCharged(WebApplicationType type) throws Exception {
    try (TestApp app = app(type).start()) {
      for (int i = 0; i < 10; i++) {
        HttpResponse<String> right = login(app, "ann", "s3cret");
        assertThat(right.statusCode()).isEqualTo(302);
      }
      for (int i = 0; i < 3; i++) {
        HttpResponse<String> wrong = login(app, "ann", "guess" + i);
        assertThat(wrong.statusCode()).isEqualTo(302);
        assertThat(wrong.headers().firstValue("Location").orElseThrow()).endsWith("/login?error");
      }

      assertThat(login(app, "ann", "guess").statusCode()).isEqualTo(429);
      assertThat(login(app, " ANN", "guess").statusCode()).as("the same name").isEqualTo(429);
      assertThat(login(app, "ann", "s3cret").statusCode()).isEqualTo(429);
      assertThat(login(app, "bob", "guess").statusCode()).as("another name").isEqualTo(302);
      assertThat(used(app, "(login:ann|ip:127.0.0.1)")).isEqualTo(3);
      assertThat(used(app, "(login:bob|ip:127.0.0.1)")).isEqualTo(1);
      assertThat(app.get("/login").statusCode()).as("no attempt").isEqualTo(200);
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = Mode.EXCLUDE)
  void wrongBasicPasswordsAreChargedOnEveryPath(WebApplicationType type) throws Exception {
    try (TestApp app = app(type).start()) {
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        statuses.add(app.get("/api/items/" + i, "Authorization", basic("ann:" + i)).statusCode());
      }

      assertThat(Collections.frequency(statuses, 401)).isEqualTo(3);
      assertThat(Collections.frequency(statuses, 429)).isEqualTo(27);
      assertThat(app.get("/api/hello").statusCode()).as("no credentials").isNotEqualTo(429);
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = Mode.EXCLUDE)
  void aSecondNameDoesNotHideTheFirst(WebApplicationType type) {
    try (TestApp app = app(type).start()) {
      int denied = 0;
      for (int i = 0; i < 20; i++) {
        HttpResponse<String> response =
            app.post(
                "/login",
                FORM,
                "username=ann&password=" + i,
                "Authorization",
                basic("nobody" + i + ":x"));
        denied += response.statusCode() == 429 ? 1 : 0;
      }
      assertThat(denied).isEqualTo(17);
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = Mode.EXCLUDE)
  void parallelGuessesDoNotPassTheLimit(WebApplicationType type) throws Exception {
    try (TestApp app = app(type).start()) {
      List<CompletableFuture<HttpResponse<String>>> guesses = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        guesses.add(app.postLater("/login", FORM, "username=ann&password=" + i));
      }
      List<Integer> statuses = guesses.stream().map(g -> g.join().statusCode()).toList();

      assertThat(Collections.frequency(statuses, 302)).isEqualTo(3);
      assertThat(Collections.frequency(statuses, 429)).isEqualTo(37);
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = Mode.EXCLUDE)
  void aLoginIsRefundedBeforeItsRequestEnds(WebApplicationType type) throws Exception {
    try (TestApp app = app(type, SlowPage.class).start()) {
      SlowPage page = app.bean(SlowPage.class);
      List<CompletableFuture<HttpResponse<String>>> slow = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        slow.add(app.getLater("/slow", "Authorization", basic("ann:s3cret")));
        page.awaitRequests(i + 1);
      }
      assertThat(used(app, "(login:ann|ip:127.0.0.1)")).isZero();
      page.release();
      assertThat(slow).allMatch(response -> response.join().statusCode() == 200);
    }
  }

  @Test
  void aLoginThatOnlyTheApplicationCanReadIsChargedAfterwards() throws Exception {
    try (TestApp app =
        app(WebApplicationType.SERVLET, JsonLogin.class)
            .with("sash.policies.guesses.key=login")
            .start()) {
      for (int i = 0; i < 2; i++) {
        assertThat(app.post("/json", "text/plain", "ann").statusCode()).isEqualTo(401);
      }
      assertThat(used(app, "login:ann")).isEqualTo(2);
      login(app, "ann", "guess");
      assertThat(login(app, "ann", "s3cret").statusCode()).isEqualTo(429);
    }
  }

  /** Checks a password in a controller. */
  @Configuration(proxyBeanMethods = false)
  static class JsonLogin {
    @Bean
    AuthenticationManager manager(AuthenticationEventPublisher events) {
      UserDetails ann = User.withUsername("ann").password("{noop}s3cret").build();
      ProviderManager manager =
          new ProviderManager(new DaoAuthenticationProvider(new InMemoryUserDetailsManager(ann)));
      manager.setAuthenticationEventPublisher(events);
      return manager;
    }

    @RestController
    static class Controller {
      private final AuthenticationManager manager;

      Controller(AuthenticationManager manager) {
        this.manager = manager;
      }

      @PostMapping("/json")
      ResponseEntity<String> login(@RequestBody String name) {
        try {
          manager.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(name, "guess"));
          return ResponseEntity.ok(name);
        } catch (AuthenticationException e) {
          return ResponseEntity.status(401).body("no");
        }
      }
    }
  }
}
