package dev.sash.config.internal;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The entries of a mapping whose names are known. */
public final class MappingFields {
  /** Reads a value; null if it was wrong, which by then is among the problems. */
  public interface Reader<T> {
    /** Returns the value. */
    @Nullable T read(Setting setting);
  }

  private final Setting mapping;
  private final Map<String, Setting> entries;

  MappingFields(Setting mapping, Map<String, Setting> entries) {
    this.mapping = mapping;
    this.entries = entries;
  }

  /** Returns the entry of a name; null if there is none. */
  public @Nullable Setting get(String name) {
    return entries.get(name);
  }

  /** What an entry says; the fallback if there is none, or a wrong one. */
  public <T> T optional(String name, Reader<T> reader, T fallback) {
    Setting setting = entries.get(name);
    T value = setting == null ? null : reader.read(setting);
    return value == null ? fallback : value;
  }

  /** What an entry says; null if there is a wrong one, or none, which is a problem too. */
  public <T> @Nullable T required(String name, Reader<T> reader) {
    Setting setting = entries.get(name);
    if (setting == null) {
      mapping.bad("must have " + name);
      return null;
    }
    return reader.read(setting);
  }
}
