package dev.sash.servlet;

import jakarta.servlet.ServletContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.ErrorPage;

class TomcatIT extends RateLimitFilterContract {
  @Override
  Container start(int threads, Consumer<ServletContext> setUp) throws Exception {
    Path folder = Files.createTempDirectory("sash-tomcat");
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    Connector connector = tomcat.getConnector();
    connector.setProperty("address", "127.0.0.1");
    connector.setProperty("minSpareThreads", "1");
    connector.setProperty("maxThreads", Integer.toString(threads));
    Context context = tomcat.addContext("/app", folder.toString());
    context.addServletContainerInitializer(
        (classes, application) -> setUp.accept(application), null);
    ErrorPage page = new ErrorPage();
    page.setLocation("/error");
    context.addErrorPage(page);
    tomcat.start();
    return new Container() {
      @Override
      public int port() {
        return connector.getLocalPort();
      }

      @Override
      public void stop() throws Exception {
        tomcat.stop();
        tomcat.destroy();
        try (var files = Files.walk(folder)) {
          for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
            Files.delete(file);
          }
        }
      }
    };
  }
}
