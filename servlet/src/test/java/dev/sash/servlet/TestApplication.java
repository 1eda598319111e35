package dev.sash.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A servlet that answers in every way a servlet can. {@code code} is the status; the last segment
 * of the path says how it is reached.
 */
final class TestApplication extends HttpServlet {
  private static final long serialVersionUID = 1;

  private final transient AtomicInteger handled = new AtomicInteger();

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
    String path =
        request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo());
    if (request.getDispatcherType() == DispatcherType.REQUEST) {
      handled.incrementAndGet();
    }
    String given = request.getParameter("code");
    int code = given == null ? 200 : Integer.parseInt(given);
    switch (path) {
      case "/error" -> response.getWriter().print("error page");
      case "/throw" -> throw new ServletException("thrown on purpose");
      case "/send-error" -> response.sendError(code);
      case "/forward" -> request.getRequestDispatcher("/ok").forward(request, response);
      case "/include" -> request.getRequestDispatcher("/ok").include(request, response);
      case "/async-complete" -> async(request, response, code);
      case "/async-dispatch" -> asyncDispatch(request, response, code);
      case "/echo" -> {
        byte[] body = request.getInputStream().readAllBytes();
        response.getWriter().print(new String(body, StandardCharsets.UTF_8));
      }
      default -> {
        response.setStatus(code);
        response.getWriter().print("ok");
      }
    }
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
    Object round = request.getAttribute("round");
    int rounds = round == null ? 0 : (Integer) round;
    if (rounds == 2) {
      response.setStatus(code);
      return;
    }
    request.setAttribute("round", rounds + 1);
    AsyncContext async = request.startAsync();
    new Thread(async::dispatch).start();
  }
}
