package dev.sash.config;

import java.io.Serializable;

/**
 * Something that is wrong with a file, and where.
 *
 * @param file the file's name
 * @param line the line, from 1; 0 if the file as a whole is meant
 * @param column the column in characters, from 1; 0 if the file as a whole is meant
 * @param message what was found and what is allowed, in one line
 */
public record Problem(String file, int line, int column, String message) implements Serializable {
  static Problem ofWholeFile(String file, String message) {
    return new Problem(file, 0, 0, message);
  }

  String place() {
    return line == 0 ? file : file + ":" + line + ":" + column;
  }

  /** As compilers write it: {@code sash.yaml:4:12: message}. */
  @Override
  public String toString() {
    return place() + ": " + message;
  }
}
