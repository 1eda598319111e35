package dev.sash.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A servlet that answers in every way a servlet can. {@code code} is the status; the last segment
 * of the path says how it is reached.
 */
final class TestApplication extends HttpServlet {
  private static final long serialVersionUID = 1;

  private final transient AtomicInteger handled = new AtomicInteger();

  private final transient Semaphore releases = new Semaphore(0);

  /** How many requests are held by {@code /hold}. */
  int held() {
    return releases.getQueueLength();
  }

  /** Lets one of them go on. */
  void release() {
    releases.release();
  }

  /** How many requests came through to the application. */
  int handled() {
    return handled.get();
  }

  void addTo(ServletContext context, boolean async) {
    ServletRegistration.Dynamic registration = context.addServlet("application", this);
    registration.setAsyncSupported(async);
    registration.addMapping("/");
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    String path = path(request);
    if (request.getDispatcherType() == DispatcherType.REQUEST) {
      handled.incrementAndGet();
    }
    String given = request.getParameter("code");
    int code = given == null ? 200 : Integer.parseInt(given);
    switch (path) {
      case "/error" -> response.getWriter().print("error page");
      case "/throw" -> throw new ServletException("thrown on purpose");
      case "/send-error" -> response.sendError(code);
      case "/forward" -> request.getRequestDispatcher("/where").forward(request, response);
      case "/include" -> request.getRequestDispatcher("/where").include(request, response);
      case "/async-complete" -> async(request, response, code);
      case "/async-dispatch" -> asyncDispatch(request, response, code);
      case "/async-throw" -> asyncThrow(request);
      case "/silent" -> {}
      case "/hold" -> releases.acquireUninterruptibly();
      case "/echo" -> {
        byte[] body = request.getInputStream().readAllBytes();
        response.getWriter().print(new String(body, StandardCharsets.UTF_8));
      }
      default -> {
        response.setStatus(code);
        response.getWriter().print(path.startsWith("/where") ? where(request) : "ok");
      }
    }
  }

  private static String path(HttpServletRequest request) {
    Object included = request.getAttribute(RequestDispatcher.INCLUDE_SERVLET_PATH);
    String pathInfo = request.getPathInfo();
    return included == null
        ? request.getServletPath() + (pathInfo == null ? "" : pathInfo)
        : included.toString();
  }

  private static String where(HttpServletRequest request) {
    return String.join(
        " ",
        request.getDispatcherType().toString(),
        request.getRequestURI(),
        request.getQueryString(),
        request.getContextPath(),
        request.getServletPath(),
        request.getPathInfo(),
        request.getParameterMap().keySet().toString());
  }

  /** Completed by another thread. */
  private static void async(HttpServletRequest request, HttpServletResponse response, int code) {
    AsyncContext async = request.startAsync();
    new Thread(
            () -> {
              response.setStatus(code);
              async.complete();
            })
        .start();
  }

  /** Dispatched back to here by another thread, twice. */
  private static void asyncDispatch(
      HttpServletRequest request, HttpServletResponse response, int code) {
    int rounds = round(request);
    if (rounds == 2) {
      response.setStatus(code);
      return;
    }
    AsyncContext async = request.startAsync();
    new Thread(async::dispatch).start();
  }

  /** Fails when it is dispatched back to here by another thread. */
  private static void asyncThrow(HttpServletRequest request) throws ServletException {
    if (round(request) == 1) {
      throw new ServletException("thrown on purpose");
    }
    AsyncContext async = request.startAsync();
    new Thread(async::dispatch).start();
  }

  /** How often the request has been here before. */
  private static int round(HttpServletRequest request) {
    Object round = request.getAttribute("round");
    int rounds = round == null ? 0 : (Integer) round;
    request.setAttribute("round", rounds + 1);
    return rounds;
  }
}
