package dev.sash.spring;

import static dev.sash.spring.TestApp.field;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.http.DenialFormat;
import dev.sash.http.DenialResponse;
import dev.sash.spring.config.BadConfigurationException;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What a denied request gets, where an application has its own words. */
@Timeout(120)
class DenialIT {
  private static TestApp.Builder app(WebApplicationType type, Class<?>... sources) {
    return (type == WebApplicationType.SERVLET
            ? TestApp.servlet(sources)
            : TestApp.reactive(sources))
        .with("sash.policies.api.limits=1/1m", "sash.policies.api.paths=/api/**");
  }

  @RestController
  static class Handlers {
    @RateLimit("own")
    @GetMapping("/own")
    String own() {
      return "own";
    }
  }

  private static HttpResponse<String> second(TestApp app, String path) throws Exception {
    assertThat(app.get(path).statusCode()).isEqualTo(200);
    return app.get(path);
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = Mode.EXCLUDE)
  void propertiesSetStatusTitleAndType(WebApplicationType type) throws Exception {
    try (TestApp app =
        app(type, Shop.class)
            .with("sash.web.denial.status=503", "sash.web.denial.title=Slow \"down\"")
            .with("sash.web.denial.type=https://shop.example/slow")
            .start()) {
      HttpResponse<String> denied = second(app, "/api/hello");
      assertThat(denied.statusCode()).isEqualTo(503);
      assertThat(field(denied, "Retry-After")).isEqualTo("60");
      assertThat(denied.body())
          .startsWith(
              "{\"type\":\"https://shop.example/slow\",\"title\":\"Slow \\\"down\\\"\","
                  + "\"status\":503,\"detail\":\"Limit api exceeded.");
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = Mode.EXCLUDE)
  void aTemplateIsTheBody(WebApplicationType type) throws Exception {
    try (TestApp app =
        app(type, Shop.class, Handlers.class)
            .with("sash.policies.own.limits=1/1h")
            .with(
                "sash.web.denial.template={\"code\":{status},\"by\":\"{policies}\",\"s\":{retry-after}}")
            .with("sash.web.denial.content-type=application/json")
            .start()) {
      HttpResponse<String> denied = second(app, "/api/hello");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(field(denied, "Content-Type")).startsWith("application/json");
      assertThat(denied.body()).isEqualTo("{\"code\":429,\"by\":\"api\",\"s\":60}");
      assertThat(second(app, "/own").body())
          .as("an annotated handler")
          .isEqualTo("{\"code\":429,\"by\":\"own\",\"s\":3600}");
    }
  }

  static class OwnFormat {
    @Bean
    DenialFormat denials() {
      return denial ->
          new DenialResponse(
              420, "text/x-calm; charset=utf-8", denial.reason() + " on " + denial.path());
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = Mode.EXCLUDE)
  void aBeanWritesTheResponse(WebApplicationType type) throws Exception {
    try (TestApp app = app(type, Shop.class, OwnFormat.class).start()) {
      HttpResponse<String> denied = second(app, "/api/hello");
      assertThat(denied.statusCode()).isEqualTo(420);
      assertThat(denied.body()).isEqualTo("QUOTA_EXCEEDED on /api/hello");
      assertThat(field(denied, "RateLimit")).isEqualTo("\"api\";r=0;t=60");
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = Mode.EXCLUDE)
  void wrongPropertiesEndTheStart(WebApplicationType type) {
    assertStartFails(
        type,
        "sash.web.denial.status: status must be between 400 and 599, was 200",
        "sash.web.denial.status=200");
    assertStartFails(
        type,
        "sash.web.denial.template: may contain {status}, {title}, {type},"
            + " {detail}, {policies}, {retry-after}, was {key}",
        "sash.web.denial.template={key}");
    assertStartFails(
        type,
        "sash.web.denial.status: cannot be set beside a bean of type"
            + " DenialFormat, which writes the response",
        "sash.web.denial.status=503",
        OwnFormat.class);
  }

  private static void assertStartFails(
      WebApplicationType type, String message, String property, Class<?>... more) {
    Class<?>[] sources = new Class<?>[more.length + 1];
    sources[0] = Shop.class;
    System.arraycopy(more, 0, sources, 1, more.length);
    assertThatThrownBy(() -> app(type, sources).with(property).start().close())
        .rootCause()
        .isInstanceOf(BadConfigurationException.class)
        .hasMessage(message);
  }

  /** As many applications have one. */
  @RestControllerAdvice
  static class CatchesAll {
    @ExceptionHandler(Exception.class)
    ResponseEntity<String> any(Exception exception) {
      if (exception instanceof ErrorResponse error) {
        return ResponseEntity.status(error.getStatusCode())
            .headers(error.getHeaders())
            .body("own words: " + error.getBody().getDetail());
      }
      return ResponseEntity.status(HttpStatus.INTERNAL_SERVER_ERROR).body("broken");
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = Mode.EXCLUDE)
  void aHandlerOfAllExceptionsLearnsTheStatus(WebApplicationType type) throws Exception {
    try (TestApp app =
        app(type, Shop.class, Handlers.class, CatchesAll.class)
            .with("sash.policies.own.limits=1/1h")
            .start()) {
      HttpResponse<String> denied = second(app, "/own");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(field(denied, "Retry-After")).isEqualTo("3600");
      assertThat(denied.body())
          .isEqualTo("own words: Limit own exceeded. Try again in 3600 seconds.");
    }
  }
}
