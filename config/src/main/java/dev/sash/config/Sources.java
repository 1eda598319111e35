package dev.sash.config;

import dev.sash.config.internal.YamlText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What stands in a file, or in the files of a directory, at one moment. Two that are equal say the
 * same.
 *
 * @param name the file or the directory
 * @param files those that could be read, by name
 * @param problems why others could not
 */
record Sources(String name, List<File> files, List<Problem> problems) {
  /** A file's name and its content. */
  record File(String name, String text) {}

  Sources {
    files = List.copyOf(files);
    problems = List.copyOf(problems);
  }

  static Sources of(String name, String text) {
    return new Sources(name, List.of(new File(name, text)), List.of());
  }

  /** Reads a file, or those of a directory whose names end in {@code .yaml} or {@code .yml}. */
  static Sources read(Path path) {
    List<File> files = new ArrayList<>();
    List<Problem> problems = new ArrayList<>();
    try {
      for (Path file : Files.isDirectory(path) ? filesIn(path) : List.of(path)) {
        readInto(files, problems, file);
      }
      if (files.isEmpty() && problems.isEmpty()) {
        problems.add(Problem.ofWholeFile(path.toString(), "has no file *.yaml or *.yml"));
      }
    } catch (IOException e) {
      problems.add(unreadable(path, e));
    }
    return new Sources(path.toString(), files, problems);
  }

  /** Without hidden ones: editors keep copies there, and Kubernetes what the others link to. */
  private static List<Path> filesIn(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(
              file -> {
                String name = file.getFileName().toString();
                return !name.startsWith(".") && (name.endsWith(".yaml") || name.endsWith(".yml"));
              })
          .filter(file -> !Files.isDirectory(file))
          .sorted()
          .toList();
    }
  }

  private static void readInto(List<File> files, List<Problem> problems, Path path) {
    Problems found = new Problems(path.toString());
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(YamlText.LONGEST + 1);
      String text = bytes.length > YamlText.LONGEST ? tooLong(found) : decoded(bytes, found);
      if (text != null) {
        files.add(new File(path.toString(), text));
      }
      problems.addAll(found.sorted());
    } catch (IOException e) {
      problems.add(unreadable(path, e));
    }
  }

  private static @Nullable String tooLong(Problems problems) {
    problems.add("must not be longer than " + YamlText.LONGEST + " bytes");
    return null;
  }

  private static @Nullable String decoded(byte[] bytes, Problems problems) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    CharBuffer text = CharBuffer.allocate(bytes.length);
    boolean malformed = decoder.decode(ByteBuffer.wrap(bytes), text, true).isError();
    String readable = text.flip().toString();
    if (malformed) {
      int line = 1 + (int) readable.chars().filter(c -> c == '\n').count();
      int column = readable.length() - readable.lastIndexOf('\n');
      problems.add(line, column, "is not UTF-8");
      return null;
    }
    return readable;
  }

  private static Problem unreadable(Path path, IOException e) {
    String reason =
        e instanceof FileSystemException known && known.getReason() != null
            ? known.getReason()
            : e.getClass().getSimpleName();
    boolean missing = e instanceof NoSuchFileException;
    return Problem.ofWholeFile(
        path.toString(), missing ? "there is no such file" : "cannot be read: " + reason);
  }
}
