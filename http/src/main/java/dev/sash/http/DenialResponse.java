package dev.sash.http;

import java.util.Objects;

/**
 * The response to a denied request, besides the fields that report the limits.
 *
 * @param status 400 to 599
 * @param contentType the media type, with the charset if it is text
 * @param body the content, to be sent in UTF-8
 */
public record DenialResponse(int status, String contentType, String body) {
  /** Checks the status and the content type. */
  public DenialResponse {
    if (status < 400 || status > 599) {
      throw new IllegalArgumentException("status must be between 400 and 599, was " + status);
    }
    if (!contentType.matches("[\\x20-\\x7e]{1,200}")) {
      throw new IllegalArgumentException(
          "contentType must be 1 to 200 printable characters, was '" + contentType + "'");
    }
    Objects.requireNonNull(body, "body must not be null");
  }
}
