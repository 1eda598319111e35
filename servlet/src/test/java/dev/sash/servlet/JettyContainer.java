package dev.sash.servlet;

import jakarta.servlet.ServletContext;
import java.util.function.Consumer;
import org.eclipse.jetty.ee10.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Jetty. */
record JettyContainer(Server server, ServerConnector connector) implements Container {
  /** The connector keeps one thread to itself, to select. */
  private static final int OWN_THREADS = 1;

  static Container start(int threads, Consumer<ServletContext> setUp) throws Exception {
    QueuedThreadPool pool = new QueuedThreadPool(threads + OWN_THREADS, 1);
    pool.setReservedThreads(0);
    Server server = new Server(pool);
    ServerConnector connector = new ServerConnector(server, 0, 1);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    ServletContextHandler handler = new ServletContextHandler("/app");
    handler.addServletContainerInitializer((classes, application) -> setUp.accept(application));
    ErrorPageErrorHandler errors = new ErrorPageErrorHandler();
    errors.addErrorPage(400, 599, "/error");
    handler.setErrorHandler(errors);
    server.setHandler(handler);
    server.start();
    return new JettyContainer(server, connector);
  }

  @Override
  public int port() {
    return connector.getLocalPort();
  }

  @Override
  public void stop() throws Exception {
    server.stop();
  }
}
