package dev.sash.config.internal;

/** Receives what is wrong with one file. */
public interface ProblemSink {
  /** Adds a problem of the file as a whole. */
  void add(String message);

  /** Adds a problem at a line and a column, both from 1. */
  void add(int line, int column, String message);

  /** Returns how messages name a place in the file: {@code sash.yaml:4:12}. */
  String placeOf(int line, int column);
}
