package dev.sash.spring.webmvc;

import dev.sash.spring.RateLimitExceededException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/** Answers denials that no {@code ExceptionHandler} of the application answers. */
public final class RateLimitExceptionResolver implements HandlerExceptionResolver, Ordered {
  private static final Logger LOG = LoggerFactory.getLogger(RateLimitExceptionResolver.class);

  private final MvcResponses responses;

  /**
   * A resolver.
   *
   * @param responses writes responses
   */
  public RateLimitExceptionResolver(MvcResponses responses) {
    this.responses = responses;
  }

  /** Where it is a bean of its own: after all others. */
  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE;
  }

  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception exception) {
    if (!(exception instanceof RateLimitExceededException denial) || response.isCommitted()) {
      return null;
    }
    try {
      responses.answer(request, response, denial);
    } catch (IOException e) {
      LOG.debug("the client did not wait for its answer", e);
    }
    return new ModelAndView();
  }
}
