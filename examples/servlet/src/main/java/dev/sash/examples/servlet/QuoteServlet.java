package dev.sash.examples.servlet;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;

/** A few quotes: {@code GET} tells one of them, {@code POST} adds one. Knows nothing of limits. */
final class QuoteServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final int LONGEST = 280;

  private final transient List<String> quotes =
      new CopyOnWriteArrayList<>(List.of("Make haste slowly.", "Nothing in excess."));

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    say(response, quotes.get(ThreadLocalRandom.current().nextInt(quotes.size())));
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    char[] text = new char[LONGEST];
    int length = request.getReader().read(text);
    if (length <= 0) {
      response.setStatus(HttpServletResponse.SC_BAD_REQUEST);
      say(response, "The body must be a quote of 1 to " + LONGEST + " characters.");
      return;
    }
    quotes.add(new String(text, 0, length));
    response.setStatus(HttpServletResponse.SC_CREATED);
    say(response, quotes.size() + " quotes");
  }

  private static void say(HttpServletResponse response, String text) throws IOException {
    response.setContentType("text/plain;charset=UTF-8");
    response.getWriter().println(text);
  }
}
