package dev.sash.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** An application that {@link OldSpringBootIT} starts under Spring Boot 3.5. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class OldSpringBootApp {
  /** Starts the application, prints the version of Spring Boot, and stops. */
  public static void main(String[] args) {
    SpringApplication application = new SpringApplication(OldSpringBootApp.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    application.run(args).close();
    System.out.println("started with " + SpringBootVersion.getVersion());
  }
}
