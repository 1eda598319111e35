package dev.sash.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The public API of every module for users is listed in docs/api, one file for each module: a
 * change of it shows in a diff. {@code -Dsash.api=write} writes the files.
 */
class PublicApiTest {
  private static final Path FOLDER = Path.of("..", "docs", "api");

  private enum Module {
    CORE("dev.sash", "dev.sash.store", "dev.sash.memory", "dev.sash.address", "dev.sash.key"),
    REDIS("dev.sash.redis"),
    HTTP("dev.sash.http"),
    SERVLET("dev.sash.servlet"),
    CLIENT("dev.sash.client"),
    GRPC("dev.sash.grpc"),
    MICROMETER("dev.sash.micrometer"),
    CONFIG("dev.sash.config", "dev.sash.config.policy", "dev.sash.config.envoy"),
    SPRING_BOOT_STARTER(
        "dev.sash.spring",
        "dev.sash.spring.client",
        "dev.sash.spring.gateway",
        "dev.sash.spring.gateway.mvc"),
    TESTKIT("dev.sash.testkit"),
    TESTKIT_REDIS("dev.sash.testkit.redis");

    @SuppressWarnings("ImmutableEnumChecker") // Set.of is
    private final Set<String> packages;

    Module(String... packages) {
      this.packages = Set.of(packages);
    }

    Path file() {
      return FOLDER.resolve(name().toLowerCase(Locale.ROOT).replace('_', '-') + ".txt");
    }
  }

  private static final JavaClasses SASH =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.sash");

  @TestFactory
  Stream<DynamicTest> isAsListed() {
    return Stream.of(Module.values())
        .map(module -> DynamicTest.dynamicTest(module.name(), () -> check(module)));
  }

  private static void check(Module module) throws IOException {
    String listing = listing(module);
    assertThat(listing).isNotEmpty();
    if ("write".equals(System.getProperty("sash.api"))) {
      Files.createDirectories(FOLDER);
      Files.writeString(module.file(), listing, UTF_8);
    }
    assertThat(listing)
        .as("the public API differs from %s: mvn test -Dsash.api=write updates it", module.file())
        .isEqualTo(Files.readString(module.file(), UTF_8));
  }

  private static String listing(Module module) {
    return SASH.stream()
        .filter(type -> module.packages.contains(type.getPackageName()))
        .filter(PublicApiTest::isPublic)
        .sorted(Comparator.comparing(JavaClass::getName))
        .map(PublicApiTest::describe)
        .collect(Collectors.joining("\n"));
  }

  private static boolean isPublic(JavaClass type) {
    return isVisible(type.getModifiers())
        && !type.isAnonymousClass()
        && type.getEnclosingClass().map(PublicApiTest::isPublic).orElse(true);
  }

  private static boolean isVisible(Set<JavaModifier> modifiers) {
    return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
        && !modifiers.contains(JavaModifier.SYNTHETIC);
  }

  private static String describe(JavaClass type) {
    List<String> members =
        Stream.<JavaMember>concat(
                type.getFields().stream(),
                Stream.concat(type.getConstructors().stream(), type.getMethods().stream()))
            .filter(member -> isVisible(member.getModifiers()))
            .filter(member -> !(type.isEnum() && isOfEveryEnum(member)))
            .map(member -> "  " + describe(member))
            .sorted()
            .toList();
    StringBuilder text = new StringBuilder(header(type)).append('\n');
    members.forEach(member -> text.append(member).append('\n'));
    return text.toString();
  }

  private static boolean isOfEveryEnum(JavaMember member) {
    return member instanceof JavaCodeUnit
        && (member.getName().equals("values") || member.getName().equals("valueOf"));
  }

  private static String header(JavaClass type) {
    String kind =
        type.isRecord()
            ? "record"
            : type.isEnum()
                ? "enum"
                : type.isAnnotation() ? "annotation" : type.isInterface() ? "interface" : "class";
    Optional<JavaClass> parent =
        type.getRawSuperclass().filter(superclass -> superclass.getName().startsWith("dev.sash"));
    String interfaces =
        type.getRawInterfaces().stream()
            .map(JavaClass::getName)
            .sorted()
            .collect(Collectors.joining(", "));
    boolean isType = kind.equals("class");
    return (isType && type.getModifiers().contains(JavaModifier.ABSTRACT) ? "abstract " : "")
        + (isType && type.getModifiers().contains(JavaModifier.FINAL) ? "final " : "")
        + kind
        + " "
        + type.getName()
        + parent.map(superclass -> " extends " + superclass.getName()).orElse("")
        + (interfaces.isEmpty() ? "" : " implements " + interfaces);
  }

  private static String describe(JavaMember member) {
    String modifiers =
        Stream.of(JavaModifier.PROTECTED, JavaModifier.STATIC, JavaModifier.ABSTRACT)
            .filter(member.getModifiers()::contains)
            .map(modifier -> modifier.name().toLowerCase(Locale.ROOT) + " ")
            .collect(Collectors.joining());
    if (member instanceof JavaField field) {
      return modifiers + simple(field.getType()) + " " + field.getName();
    }
    JavaCodeUnit unit = (JavaCodeUnit) member;
    String parameters =
        unit.getParameterTypes().stream()
            .map(PublicApiTest::simple)
            .collect(Collectors.joining(", ", "(", ")"));
    return unit instanceof JavaConstructor
        ? modifiers + "new" + parameters
        : modifiers
            + simple(((JavaMethod) unit).getReturnType())
            + " "
            + unit.getName()
            + parameters;
  }

  /** Without the packages, which the imports of a caller show. */
  private static String simple(JavaType type) {
    return type.getName().replaceAll("([a-z][a-z0-9]*\\.)+([A-Z])", "$2").replace('$', '.');
  }
}
