package dev.sash.spring.webmvc;

import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsProcessor;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.filter.CorsFilter;

/**
 * Adds the fields of CORS to denials, as the application is configured: without them, a browser
 * hides a denial from the page that caused it. The application itself has not seen the request.
 */
public final class CorsFields implements BiConsumer<HttpServletRequest, HttpServletResponse> {
  private static final Logger LOG = LoggerFactory.getLogger(CorsFields.class);

  /** As Spring Security names them: a bean of the application, or what MVC is configured with. */
  private static final String[] SOURCES = {
    "corsConfigurationSource", "mvcHandlerMappingIntrospector"
  };

  private final ListableBeanFactory beans;
  private final CorsProcessor processor = new DefaultCorsProcessor();

  /**
   * Creates a writer of fields.
   *
   * @param beans contains the configuration; read when a request is denied
   */
  public CorsFields(ListableBeanFactory beans) {
    this.beans = beans;
  }

  @Override
  public void accept(HttpServletRequest request, HttpServletResponse response) {
    if (!CorsUtils.isCorsRequest(request)) {
      return;
    }
    try {
      HeadersOnly fields = new HeadersOnly(response);
      CorsFilter filter = beans.getBeanProvider(CorsFilter.class).getIfUnique();
      if (filter != null) {
        filter.doFilter(request, fields, (rq, rs) -> {});
        return;
      }
      CorsConfiguration configuration = configurationOf(request);
      if (configuration != null) {
        boolean unused = processor.processRequest(configuration, request, fields);
      }
    } catch (IOException | ServletException | RuntimeException e) {
      LOG.debug("CORS fields cannot be added to a denial", e);
    }
  }

  private @Nullable CorsConfiguration configurationOf(HttpServletRequest request) {
    for (String name : SOURCES) {
      if (beans.containsBean(name) && beans.isTypeMatch(name, CorsConfigurationSource.class)) {
        return beans.getBean(name, CorsConfigurationSource.class).getCorsConfiguration(request);
      }
    }
    return null;
  }

  /** Takes header fields: what else CORS would answer, the denial answers. */
  private static final class HeadersOnly extends HttpServletResponseWrapper {
    HeadersOnly(HttpServletResponse response) {
      super(response);
    }

    @Override
    public void setStatus(int status) {}

    @Override
    public void flushBuffer() {}

    @Override
    public ServletOutputStream getOutputStream() {
      return new ServletOutputStream() {
        @Override
        public boolean isReady() {
          return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {}

        @Override
        public void write(int unused) {}
      };
    }
  }
}
