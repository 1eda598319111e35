package dev.sash.server.rls;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/**
 * {@code grpc.reflection.v1.ServerReflection} and its older twin {@code v1alpha}, which differ in
 * nothing but the name: what services there are, and the files that describe them. Nothing here has
 * extensions.
 */
final class Reflection {
  // The fields of ServerReflectionRequest that ask something.
  private static final int FILE_BY_FILENAME = 3;
  private static final int FILE_CONTAINING_SYMBOL = 4;
  private static final int FILE_CONTAINING_EXTENSION = 5;
  private static final int ALL_EXTENSION_NUMBERS_OF_TYPE = 6;
  private static final int LIST_SERVICES = 7;

  // Those of ServerReflectionResponse.
  private static final int VALID_HOST = 1;
  private static final int ORIGINAL_REQUEST = 2;
  private static final int FILE_DESCRIPTOR_RESPONSE = 4;
  private static final int ALL_EXTENSION_NUMBERS_RESPONSE = 5;
  private static final int LIST_SERVICES_RESPONSE = 6;
  private static final int ERROR_RESPONSE = 7;

  /**
   * A question.
   *
   * @param host for which host; is only repeated
   * @param field which of the fields asks, the last if there are several; 0 if none does
   * @param argument what it asks about
   */
  private record Asked(String host, int field, String argument) {}

  /** The answer to a message. */
  byte[] answer(byte[] message) {
    Asked asked = read(message);
    return Wire.message(
        out -> {
          out.writeString(VALID_HOST, asked.host);
          out.writeByteArray(ORIGINAL_REQUEST, message);
          write(out, asked);
        });
  }

  private static void write(CodedOutputStream out, Asked asked) throws IOException {
    ServiceFiles files = ServiceFiles.all();
    switch (asked.field) {
      case FILE_BY_FILENAME -> writeFiles(out, asked, files::file);
      case FILE_CONTAINING_SYMBOL -> writeFiles(out, asked, files::fileOf);
      case FILE_CONTAINING_EXTENSION -> writeError(out, GrpcStatus.NOT_FOUND, "no extensions here");
      case ALL_EXTENSION_NUMBERS_OF_TYPE -> {
        if (files.fileOf(asked.argument).isEmpty()) {
          writeError(out, GrpcStatus.NOT_FOUND, "there is no such type");
        } else {
          out.writeByteArray(
              ALL_EXTENSION_NUMBERS_RESPONSE,
              Wire.message(type -> type.writeString(1, asked.argument)));
        }
      }
      case LIST_SERVICES ->
          out.writeByteArray(
              LIST_SERVICES_RESPONSE,
              Wire.message(
                  list -> {
                    for (String name : files.services()) {
                      list.writeByteArray(1, Wire.message(service -> service.writeString(1, name)));
                    }
                  }));
      default -> writeError(out, GrpcStatus.INVALID_ARGUMENT, "nothing is asked");
    }
  }

  private static void writeFiles(
      CodedOutputStream out, Asked asked, Function<String, List<FileDescriptorProto>> finding)
      throws IOException {
    List<FileDescriptorProto> files = finding.apply(asked.argument);
    if (files.isEmpty()) {
      writeError(out, GrpcStatus.NOT_FOUND, "there is no such file or symbol");
      return;
    }
    out.writeByteArray(
        FILE_DESCRIPTOR_RESPONSE,
        Wire.message(
            list -> {
              for (FileDescriptorProto file : files) {
                list.writeByteArray(1, file.toByteArray());
              }
            }));
  }

  private static void writeError(CodedOutputStream out, GrpcStatus status, String text)
      throws IOException {
    out.writeByteArray(
        ERROR_RESPONSE,
        Wire.message(
            error -> {
              error.writeInt32(1, status.code());
              error.writeString(2, text);
            }));
  }

  private static Asked read(byte[] message) {
    try {
      CodedInputStream in = CodedInputStream.newInstance(message);
      Asked asked = new Asked("", 0, "");
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        asked = read(in, tag, asked);
      }
      return asked;
    } catch (IOException e) {
      throw GrpcException.invalid("the message is no ServerReflectionRequest");
    }
  }

  private static Asked read(CodedInputStream in, int tag, Asked before) throws IOException {
    int field = tag >>> 3;
    if ((tag & 7) != 2 || field > LIST_SERVICES) {
      Wire.skip(in, tag);
      return before;
    }
    return switch (field) {
      case 1 -> new Asked(in.readStringRequireUtf8(), before.field, before.argument);
      case FILE_CONTAINING_EXTENSION -> {
        Wire.skip(in, tag);
        yield new Asked(before.host, field, "");
      }
      case FILE_BY_FILENAME, FILE_CONTAINING_SYMBOL, ALL_EXTENSION_NUMBERS_OF_TYPE, LIST_SERVICES ->
          new Asked(before.host, field, in.readStringRequireUtf8());
      default -> {
        Wire.skip(in, tag);
        yield before;
      }
    };
  }
}
