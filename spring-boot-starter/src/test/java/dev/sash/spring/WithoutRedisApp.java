package dev.sash.spring;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application of which {@link WithoutRedisIT} leaves out everything about Redis. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
class WithoutRedisApp {
  @GetMapping("/api/hello")
  String hello() {
    return "hello";
  }

  @RateLimit("reports")
  @GetMapping("/reports")
  String report() {
    return "report";
  }

  /** Starts the application, prints the responses to some requests, and stops. */
  public static void main(String[] args) throws Exception {
    for (String name :
        List.of(
            "dev.sash.redis.RedisStore",
            "io.lettuce.core.RedisClient",
            "io.netty.channel.EventLoop")) {
      System.out.println(name + " " + (isPresent(name) ? "present" : "absent"));
    }
    try (ConfigurableApplicationContext context =
        SpringApplication.run(WithoutRedisApp.class, args)) {
      String port = context.getEnvironment().getProperty("local.server.port");
      HttpClient client = HttpClient.newHttpClient();
      for (String path :
          List.of(
              "/api/hello",
              "/api/hello",
              "/api/hello",
              "/reports",
              "/reports",
              "/actuator/sash/api?key=ip:127.0.0.1",
              "/actuator/health",
              "/actuator/metrics/sash.decisions?tag=outcome:denied",
              "/actuator/metrics/sash.memory.keys",
              "/actuator/metrics/sash.store.up")) {
        var response =
            client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
                BodyHandlers.ofString());
        System.out.println(path + " " + response.statusCode() + " " + response.body());
      }
    }
  }

  private static boolean isPresent(String name) {
    try {
      Class.forName(name, false, WithoutRedisApp.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
