package dev.sash.spring.webmvc;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/** Finds the pattern of the handler to which a request will be sent. */
public final class MvcRoutes {
  private final Supplier<List<RequestMappingHandlerMapping>> mappings;

  /**
   * Over these handlers.
   *
   * @param mappings asked with the first request
   */
  public MvcRoutes(Supplier<List<RequestMappingHandlerMapping>> mappings) {
    this.mappings = mappings;
  }

  /**
   * The pattern.
   *
   * @param request the request, before or after Spring has chosen
   * @return for example {@code /users/{id}}; null if no controller handles it
   */
  public @Nullable String of(HttpServletRequest request) {
    Object known = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
    if (known != null) {
      return known.toString();
    }
    Untouched asking = new Untouched(request);
    ServletRequestPathUtils.parseAndCache(asking);
    for (RequestMappingHandlerMapping mapping : mappings.get()) {
      try {
        if (mapping.getHandler(asking) != null) {
          Object found = asking.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
          return found == null ? null : found.toString();
        }
      } catch (Exception e) {
        return null; // Spring will say what is wrong with the request
      }
    }
    return null;
  }

  /** What Spring notes down while it looks is not to be found in the request. */
  private static final class Untouched extends HttpServletRequestWrapper {
    private final Map<String, @Nullable Object> notes = new HashMap<>();

    Untouched(HttpServletRequest request) {
      super(request);
    }

    @Override
    public @Nullable Object getAttribute(String name) {
      return notes.containsKey(name) ? notes.get(name) : super.getAttribute(name);
    }

    @Override
    public void setAttribute(String name, @Nullable Object value) {
      notes.put(name, value);
    }

    @Override
    public void removeAttribute(String name) {
      notes.put(name, null);
    }
  }
}
