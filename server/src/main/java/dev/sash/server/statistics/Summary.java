package dev.sash.server.statistics;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The counts of a server, as other servers receive them. Contains no keys.
 *
 * @param server identifies the server
 * @param total the counts of all policies
 * @param policies the counts by policy; as many of the first as fit
 */
record Summary(long server, PolicyCounts total, List<PolicyCounts> policies) {
  static final int MAX_BYTES = 64 << 10;

  private static final int FORMAT = 1;
  private static final String NAME = "[A-Za-z0-9_][A-Za-z0-9._-]{0,63}";

  /** Returns at most {@link #MAX_BYTES}. */
  byte[] toBytes() {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeByte(FORMAT);
      out.writeLong(server);
      write(out, total);
      for (PolicyCounts policy : policies) {
        ByteArrayOutputStream one = new ByteArrayOutputStream();
        write(new DataOutputStream(one), policy);
        if (bytes.size() + one.size() > MAX_BYTES) {
          break;
        }
        one.writeTo(bytes);
      }
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is nothing that could fail to be written
    }
  }

  private static void write(DataOutputStream out, PolicyCounts policy) throws IOException {
    out.writeUTF(policy.policy());
    for (Measure measure : Measure.values()) {
      Counts counts = policy.of(measure);
      out.writeFloat((float) counts.perSecond());
      writeNumber(out, counts.minute());
      writeNumber(out, counts.hour());
      writeNumber(out, counts.day());
    }
  }

  /** Seven bits a byte, the lowest first; all but the last have the eighth. */
  private static void writeNumber(DataOutputStream out, long number) throws IOException {
    long left = number;
    while (left > 0x7f) {
      out.writeByte((int) ((left & 0x7f) | 0x80));
      left >>>= 7;
    }
    out.writeByte((int) left);
  }

  /** Returns whose summary it is; null if it is none of this format. */
  static @Nullable Long serverOf(byte[] bytes) {
    Summary summary = of(bytes);
    return summary == null ? null : summary.server;
  }

  /** Reads what other servers may have written; null if it is not a summary of this format. */
  static @Nullable Summary of(byte[] bytes) {
    if (bytes.length == 0 || bytes.length > MAX_BYTES || bytes[0] != FORMAT) {
      return null;
    }
    ByteArrayInputStream source = new ByteArrayInputStream(bytes, 1, bytes.length - 1);
    DataInputStream in = new DataInputStream(source);
    try {
      long server = in.readLong();
      PolicyCounts total = read(in);
      if (!total.policy().isEmpty()) {
        return null;
      }
      List<PolicyCounts> policies = new ArrayList<>();
      while (source.available() > 0) {
        PolicyCounts policy = read(in);
        if (!policy.policy().matches(NAME)) {
          return null;
        }
        policies.add(policy);
      }
      return new Summary(server, total, policies);
    } catch (IOException e) {
      return null; // ends too early
    }
  }

  private static PolicyCounts read(DataInputStream in) throws IOException {
    String name = in.readUTF();
    Map<Measure, Counts> counts = new EnumMap<>(Measure.class);
    for (Measure measure : Measure.values()) {
      float perSecond = in.readFloat();
      counts.put(
          measure,
          new Counts(
              perSecond >= 0 && perSecond < Integer.MAX_VALUE ? perSecond : 0,
              readNumber(in),
              readNumber(in),
              readNumber(in)));
    }
    return new PolicyCounts(name, false, counts);
  }

  private static long readNumber(DataInputStream in) throws IOException {
    long number = 0;
    for (int shift = 0; shift < 56; shift += 7) {
      int next = in.readUnsignedByte();
      number |= (next & 0x7fL) << shift;
      if (next < 0x80) {
        return number;
      }
    }
    throw new IOException("number is too long");
  }
}
