package dev.sash.http.internal;

import java.util.ArrayList;
import java.util.List;

/**
 * A path as rules see it: decoded once, without empty segments, path parameters ({@code ;v=1}) and
 * dots. So {@code /login}, {@code //login/}, {@code /%6Cogin}, {@code /login;x} and {@code
 * /a/../login} are one path, and none of them slips past a rule for it.
 *
 * @param segments between the slashes
 * @param ambiguous whether servers read the path differently: it has dot segments, encoded slashes,
 *     backslashes, control characters or broken encoding. Such a path obeys rules and is never
 *     exempt from them
 */
public record RequestPath(List<String> segments, boolean ambiguous) {
  /** Reads the path of a request line. */
  public static RequestPath of(String raw) {
    List<String> segments = new ArrayList<>();
    boolean ambiguous = false;
    for (String rawSegment : HttpSyntax.parts(raw, '/')) {
      if (isPlain(rawSegment)) {
        segments.add(rawSegment);
        continue;
      }
      int parameters = rawSegment.indexOf(';');
      HttpSyntax.Decoded decoded =
          HttpSyntax.percentDecoded(
              parameters < 0 ? rawSegment : rawSegment.substring(0, parameters));
      String text = decoded.text().replace('\\', '/');
      ambiguous |= decoded.malformed() || text.indexOf('/') >= 0 || hasControls(text);
      for (String segment : HttpSyntax.parts(text, '/')) {
        ambiguous |= add(segment, segments);
      }
    }
    return new RequestPath(List.copyOf(segments), ambiguous);
  }

  /** Whether a segment is what it seems, as nearly all are; the others take longer to read. */
  private static boolean isPlain(String segment) {
    for (int i = 0; i < segment.length(); i++) {
      char c = segment.charAt(i);
      if (c == '%' || c == ';' || c == '\\' || Character.isISOControl(c)) {
        return false;
      }
    }
    return !segment.isEmpty() && segment.charAt(0) != '.';
  }

  /** Returns true if it was a dot segment. */
  private static boolean add(String segment, List<String> segments) {
    if (segment.equals("..") && !segments.isEmpty()) {
      segments.remove(segments.size() - 1);
    }
    boolean dots = segment.equals(".") || segment.equals("..");
    if (!dots && !segment.isEmpty()) {
      segments.add(segment);
    }
    return dots;
  }

  private static boolean hasControls(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isISOControl(text.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  /** What follows a path in front; this one if it does not begin with it. */
  public RequestPath after(RequestPath front) {
    int length = front.segments.size();
    boolean begins =
        segments.size() >= length && segments.subList(0, length).equals(front.segments);
    return begins
        ? new RequestPath(List.copyOf(segments.subList(length, segments.size())), ambiguous)
        : this;
  }

  @Override
  public String toString() {
    return "/" + String.join("/", segments);
  }
}
