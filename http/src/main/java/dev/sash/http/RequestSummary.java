package dev.sash.http;

import java.util.List;

/**
 * What a denial needs of its request, which must not be read later.
 *
 * @param path the path as it was sent
 * @param accept the lines of the field {@code Accept}
 */
record RequestSummary(String path, List<String> accept) {
  static RequestSummary of(RequestView view) {
    return new RequestSummary(view.path(), view.headers("Accept"));
  }
}
