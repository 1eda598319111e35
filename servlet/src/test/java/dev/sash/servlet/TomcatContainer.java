package dev.sash.servlet;

import jakarta.servlet.ServletContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.function.Consumer;
import java.util.logging.Logger;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.ErrorPage;

/** Tomcat. */
record TomcatContainer(Tomcat tomcat, Connector connector, Path folder) implements Container {
  /** What a test provokes is not to be read in the build's output. Kept, so that this is. */
  private static final Logger LOG = Logger.getLogger("org.apache");

  static {
    LOG.setUseParentHandlers(false);
  }

  static Container start(int threads, Consumer<ServletContext> setUp) throws Exception {
    Path folder = Files.createTempDirectory("sash-tomcat");
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    Connector connector = tomcat.getConnector();
    connector.setProperty("address", "127.0.0.1");
    connector.setProperty("minSpareThreads", "1");
    connector.setProperty("maxThreads", Integer.toString(threads));
    StandardContext context = (StandardContext) tomcat.addContext("/app", folder.toString());
    context.setUnloadDelay(10_000);
    context.addServletContainerInitializer(
        (classes, application) -> setUp.accept(application), null);
    ErrorPage page = new ErrorPage();
    page.setLocation("/error");
    context.addErrorPage(page);
    tomcat.start();
    return new TomcatContainer(tomcat, connector, folder);
  }

  @Override
  public int port() {
    return connector.getLocalPort();
  }

  @Override
  public void stop() throws Exception {
    tomcat.stop();
    tomcat.destroy();
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
