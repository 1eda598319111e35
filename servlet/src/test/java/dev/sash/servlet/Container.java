package dev.sash.servlet;

import jakarta.servlet.ServletContext;
import java.util.function.Consumer;

/**
 * A servlet container on a free port of this machine, with one application under {@code /app} whose
 * error page is {@code /error}.
 */
interface Container {
  int port();

  /** Stops it, once; the requests under way are done then. */
  void stop() throws Exception;

  /** Those that the filter is tested in. */
  enum Kind {
    TOMCAT,
    JETTY;

    /**
     * Starts one.
     *
     * @param threads how many requests it handles at a time
     * @param setUp adds filters and servlets
     */
    Container start(int threads, Consumer<ServletContext> setUp) throws Exception {
      return this == TOMCAT
          ? TomcatContainer.start(threads, setUp)
          : JettyContainer.start(threads, setUp);
    }
  }
}
