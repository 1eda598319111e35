package dev.sash.examples.servlet;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.http.HttpLimiter;
import dev.sash.http.HttpRule;
import dev.sash.http.KeyExtractor;
import dev.sash.memory.InMemoryStore;
import dev.sash.servlet.RateLimitFilter;
import jakarta.servlet.ServletContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;

/**
 * Quotes over HTTP, on embedded Jetty: everybody may read ten in ten seconds, and add three in a
 * minute.
 */
public final class QuoteServer {
  private static final int PORT = 8080;

  private QuoteServer() {}

  /**
   * Serves until the process ends.
   *
   * @param args the port, 8080 unless given
   */
  public static void main(String[] args) throws Exception {
    Server server = start(args.length == 0 ? PORT : Integer.parseInt(args[0]));
    System.out.printf(
        """
        Try, and again until it is too much:
          curl -i %1$squotes
          curl -i -d 'Less is more.' %1$squotes
        """,
        server.getURI());
    server.join();
  }

  static Server start(int port) throws Exception {
    ServletContextHandler application = new ServletContextHandler("/");
    application.addServletContainerInitializer((classes, context) -> setUp(context));
    Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    server.setHandler(application);
    server.start();
    return server;
  }

  private static void setUp(ServletContext context) {
    InMemoryStore store = InMemoryStore.create();
    RateLimiter reading = store.limiter(Policy.of("read", Limit.parse("10/10s")));
    RateLimiter writing = store.limiter(Policy.of("write", Limit.parse("3/1m")));
    HttpLimiter limiter =
        HttpLimiter.builder()
            .rule(
                HttpRule.forPaths("/quotes")
                    .methods("POST")
                    .charge(writing, KeyExtractor.clientAddress()))
            .rule(HttpRule.forEverything().charge(reading, KeyExtractor.clientAddress()))
            .build();

    RateLimitFilter.of(limiter).registerIn(context, "/*");
    context.addServlet("quotes", new QuoteServlet()).addMapping("/quotes");
  }
}
