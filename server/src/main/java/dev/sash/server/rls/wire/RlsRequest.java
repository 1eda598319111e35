package dev.sash.server.rls.wire;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code envoy.service.ratelimit.v3.RateLimitRequest}, as far as it matters here.
 *
 * @param domain whose limits are meant
 * @param descriptors what is to be limited
 * @param hitsAddend what each of them costs, 0 if it is not said
 */
public record RlsRequest(String domain, List<Descriptor> descriptors, long hitsAddend) {
  /** Each is decided in turn; nobody has as many. */
  private static final int MAX_DESCRIPTORS = 256;

  /**
   * A descriptor.
   *
   * @param entries what is known of a request, from the general to the special
   * @param limit the limit that holds, whatever is configured; null if none came along
   * @param hitsAddend what it costs, as an unsigned number; null if it is not said
   * @param negativeHits whether hits are to be given back
   */
  public record Descriptor(
      List<Entry> entries,
      @Nullable OwnLimit limit,
      @Nullable Long hitsAddend,
      boolean negativeHits) {}

  /** A key and its value. */
  public record Entry(String key, String value) {}

  /**
   * A limit that comes with the request.
   *
   * @param requestsPerUnit how many
   * @param unit the unit's number, which may be none
   */
  public record OwnLimit(long requestsPerUnit, int unit) {}

  /**
   * Reads a message.
   *
   * @throws InvalidRequestException if it is none, or lacks what it must have
   */
  public static RlsRequest parse(byte[] message) {
    try {
      return checked(read(CodedInputStream.newInstance(message)));
    } catch (IOException e) {
      throw new InvalidRequestException("the message is no RateLimitRequest");
    }
  }

  private static RlsRequest checked(RlsRequest request) {
    if (request.domain.isEmpty()) {
      throw new InvalidRequestException("rate limit domain must not be empty");
    }
    int count = request.descriptors.size();
    if (count == 0) {
      throw new InvalidRequestException("rate limit descriptor list must not be empty");
    }
    if (count > MAX_DESCRIPTORS) {
      throw new InvalidRequestException(
          "rate limit descriptors must be at most " + MAX_DESCRIPTORS + ", were " + count);
    }
    for (int i = 0; i < count; i++) {
      if (request.descriptors.get(i).entries.isEmpty()) {
        throw new InvalidRequestException("rate limit descriptor " + i + " must have an entry");
      }
    }
    return request;
  }

  /** Reads a message without judging it. */
  static RlsRequest read(CodedInputStream in) throws IOException {
    String domain = "";
    List<Descriptor> descriptors = new ArrayList<>();
    long hitsAddend = 0;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (tag) {
        case Protobuf.BYTES_1 -> domain = in.readStringRequireUtf8();
        case Protobuf.BYTES_2 -> descriptors.add(Protobuf.nested(in, RlsRequest::readDescriptor));
        case Protobuf.VARINT_3 -> hitsAddend = Integer.toUnsignedLong(in.readUInt32());
        default -> Protobuf.skip(in, tag);
      }
    }
    return new RlsRequest(domain, descriptors, hitsAddend);
  }

  private static Descriptor readDescriptor(CodedInputStream in) throws IOException {
    List<Entry> entries = new ArrayList<>();
    OwnLimit limit = null;
    Long hitsAddend = null;
    boolean negative = false;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (tag) {
        case Protobuf.BYTES_1 -> entries.add(Protobuf.nested(in, RlsRequest::readEntry));
        case Protobuf.BYTES_2 -> {
          // The protocol's rule for a field that comes twice: the second completes the first.
          OwnLimit before = limit == null ? new OwnLimit(0, 0) : limit;
          limit = Protobuf.nested(in, nested -> readOwnLimit(nested, before));
        }
        case Protobuf.BYTES_3 -> {
          long before = hitsAddend == null ? 0 : hitsAddend;
          hitsAddend = Protobuf.nested(in, nested -> readUint64Value(nested, before));
        }
        case Protobuf.VARINT_4 -> negative = in.readBool();
        default -> Protobuf.skip(in, tag);
      }
    }
    return new Descriptor(entries, limit, hitsAddend, negative);
  }

  private static Entry readEntry(CodedInputStream in) throws IOException {
    String key = "";
    String value = "";
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (tag) {
        case Protobuf.BYTES_1 -> key = in.readStringRequireUtf8();
        case Protobuf.BYTES_2 -> value = in.readStringRequireUtf8();
        default -> Protobuf.skip(in, tag);
      }
    }
    return new Entry(key, value);
  }

  private static OwnLimit readOwnLimit(CodedInputStream in, OwnLimit before) throws IOException {
    long requestsPerUnit = before.requestsPerUnit;
    int unit = before.unit;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (tag) {
        case Protobuf.VARINT_1 -> requestsPerUnit = Integer.toUnsignedLong(in.readUInt32());
        case Protobuf.VARINT_2 -> unit = in.readEnum();
        default -> Protobuf.skip(in, tag);
      }
    }
    return new OwnLimit(requestsPerUnit, unit);
  }

  private static long readUint64Value(CodedInputStream in, long before) throws IOException {
    long value = before;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == Protobuf.VARINT_1) {
        value = in.readUInt64();
      } else {
        Protobuf.skip(in, tag);
      }
    }
    return value;
  }
}
