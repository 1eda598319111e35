package dev.sash.cli;

import static com.tngtech.archunit.base.DescribedPredicate.anyElementThat;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.sash.Sash;
import dev.sash.internal.Bounds;
import dev.sash.memory.InMemoryStore;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Dependencies between packages. In this module, because it depends on all the others. */
class ArchitectureTest {
  private static final String API = "dev.sash";
  private static final String STORE = "dev.sash.store..";
  private static final String INTERNAL = "dev.sash.internal..";
  private static final String ALL_INTERNAL = "dev.sash..internal..";
  private static final String ADDRESS = "dev.sash.address..";
  private static final String KEY = "dev.sash.key..";
  private static final String MEMORY = "dev.sash.memory..";
  private static final String REDIS = "dev.sash.redis..";
  private static final String HTTP = "dev.sash.http..";
  private static final String HTTP_INTERNAL = "dev.sash.http.internal..";
  private static final String CONFIG = "dev.sash.config..";
  private static final String CONFIG_INTERNAL = "dev.sash.config.internal..";
  private static final String SERVLET = "dev.sash.servlet..";
  private static final String MICROMETER = "dev.sash.micrometer..";
  private static final String CLIENT = "dev.sash.client..";
  private static final String GRPC = "dev.sash.grpc..";
  private static final String SPRING = "dev.sash.spring..";
  private static final String SERVER = "dev.sash.server..";
  private static final String TESTKIT = "dev.sash.testkit";
  private static final String TESTKIT_REDIS = "dev.sash.testkit.redis..";
  private static final String CLI = "dev.sash.cli..";
  private static final String[] CORE = {API, STORE, INTERNAL, ADDRESS, KEY, MEMORY};

  private static final JavaClasses SASH =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.sash");

  @Test
  void everyClassBelongsToAModuleThatTheseRulesKnow() {
    classes()
        .should()
        .resideInAnyPackage(
            API,
            STORE,
            INTERNAL,
            ADDRESS,
            KEY,
            MEMORY,
            REDIS,
            HTTP,
            CONFIG,
            SERVLET,
            MICROMETER,
            CLIENT,
            GRPC,
            SPRING,
            SERVER,
            TESTKIT,
            TESTKIT_REDIS,
            CLI)
        .check(SASH);
    Set<String> found = SASH.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());
    assertThat(found)
        .contains("dev.sash", "dev.sash.store", "dev.sash.internal")
        .contains("dev.sash.memory", "dev.sash.redis")
        .contains("dev.sash.address", "dev.sash.key")
        .contains("dev.sash.http", "dev.sash.servlet", "dev.sash.config")
        .contains("dev.sash.micrometer", "dev.sash.grpc", "dev.sash.client")
        .contains("dev.sash.spring", "dev.sash.spring.webmvc", "dev.sash.spring.webflux")
        .contains("dev.sash.spring.client")
        .contains("dev.sash.server", "dev.sash.server.engine", "dev.sash.server.http")
        .contains("dev.sash.testkit", "dev.sash.testkit.redis", "dev.sash.cli");
  }

  @Test
  void theCoreNeedsNothingButTheJdkJspecifyAndSlf4j() {
    classes()
        .that(resideInAnyPackage(CORE))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(CORE)
                .or(
                    resideInAnyPackage(
                        "java..", "javax..", "org.jspecify.annotations", "org.slf4j")))
        .check(SASH);
  }

  /** Netty comes with Lettuce, whose event loops write and read. */
  @Test
  void theRedisStoreNeedsNothingMoreThanLettuceAndItsTransport() {
    classes()
        .that(resideInAPackage(REDIS))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(CORE)
                .or(
                    resideInAnyPackage(
                        REDIS,
                        "java..",
                        "io.lettuce..",
                        "io.netty.channel",
                        "org.jspecify.annotations",
                        "org.slf4j")))
        .check(SASH);
  }

  @Test
  void httpKnowsNoFrameworkAndTheFilterOnlyServlets() {
    classes()
        .that(resideInAPackage(HTTP))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                API, ADDRESS, KEY, HTTP, "java..", "org.jspecify.annotations", "org.slf4j"))
        .check(SASH);
    classes()
        .that(resideInAPackage(SERVLET))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                HTTP,
                SERVLET,
                "java..",
                "jakarta.servlet..",
                "org.jspecify.annotations",
                "org.slf4j"))
        .check(SASH);
  }

  @Test
  void configurationNeedsNothingMoreThanYamlAndShowsNoneOfIt() {
    classes()
        .that(resideInAPackage(CONFIG))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                API,
                ADDRESS,
                CONFIG,
                "java..",
                "org.snakeyaml.engine..",
                "org.jspecify.annotations",
                "org.slf4j"))
        .check(SASH);
    noClasses()
        .that(resideInAPackage(CONFIG).and(not(resideInAPackage(CONFIG_INTERNAL))))
        .should()
        .dependOnClassesThat(resideInAPackage("org.snakeyaml.engine.."))
        .check(SASH);
  }

  @Test
  void metersNeedNothingMoreThanMicrometer() {
    classes()
        .that(resideInAPackage(MICROMETER))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(CORE)
                .or(
                    resideInAnyPackage(
                        MICROMETER, "java..", "io.micrometer..", "org.jspecify.annotations")))
        .check(SASH);
  }

  @Test
  void limitsOfOutgoingCallsNeedNothingMoreThanStructuredFields() {
    classes()
        .that(resideInAPackage(CLIENT))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                API,
                STORE,
                CLIENT,
                "java..",
                "javax.net.ssl",
                "org.greenbytes.http.sfv",
                "org.jspecify.annotations",
                "org.slf4j"))
        .check(SASH);
  }

  @Test
  void theGrpcInterceptorNeedsNothingMoreThanGrpcAndItsStatusDetails() {
    classes()
        .that(resideInAPackage(GRPC))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(CORE)
                .or(
                    resideInAnyPackage(
                        GRPC, "java..", "io.grpc..", "org.jspecify.annotations", "org.slf4j"))
                .or(resideInAnyPackage("com.google.rpc..", "com.google.protobuf..")))
        .check(SASH);
  }

  /** An application need not have all of them: each is known in its own place. */
  @Test
  void ofSpringOnlyTheEdgesKnowAWebFrameworkAndOnlyTheirOwn() {
    noClasses()
        .that(
            resideInAPackage(SPRING)
                .and(
                    not(
                        resideInAnyPackage(
                            "dev.sash.spring.webmvc",
                            "dev.sash.spring.gateway.mvc",
                            "dev.sash.spring.autoconfigure"))))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("jakarta.servlet..", "org.springframework.web.servlet..", SERVLET))
        .check(SASH);
    noClasses()
        .that(
            resideInAPackage(SPRING)
                .and(
                    not(
                        resideInAnyPackage(
                            "dev.sash.spring.webflux",
                            "dev.sash.spring.client",
                            "dev.sash.spring.gateway",
                            "dev.sash.spring.autoconfigure"))))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                "org.springframework.web.reactive..", "org.springframework.web.server.."))
        .check(SASH);
    noClasses()
        .that(resideInAPackage(SPRING).and(not(resideInAPackage("dev.sash.spring.gateway.."))))
        .should()
        .dependOnClassesThat(resideInAnyPackage("org.springframework.cloud.."))
        .check(SASH);
    noClasses()
        .that(resideInAPackage(SPRING).and(not(resideInAPackage("dev.sash.spring.grpc"))))
        .should()
        .dependOnClassesThat(resideInAnyPackage(GRPC, "io.grpc..", "org.springframework.grpc.."))
        .check(SASH);
    noClasses()
        .that(
            resideInAPackage(SPRING)
                .and(
                    not(
                        resideInAnyPackage(
                            "dev.sash.spring.actuate", "dev.sash.spring.autoconfigure"))))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                "org.springframework.boot.actuate..", "org.springframework.boot.health.."))
        .check(SASH);
  }

  /** A protocol can be added or dropped without a look at the others. */
  @Test
  void ofTheServerOnlyTheProtocolsKnowVertxAndNoneKnowsAnother() {
    noClasses()
        .that(
            resideInAnyPackage(
                "dev.sash.server.engine..",
                "dev.sash.server.metrics..",
                "dev.sash.server.override..",
                "dev.sash.server.access.."))
        .should()
        .dependOnClassesThat(resideInAnyPackage("io.vertx..", "io.netty.."))
        .check(SASH);
    for (String protocol : List.of("http", "rls", "resp")) {
      noClasses()
          .that(
              resideInAnyPackage(
                      "dev.sash.server.http..", "dev.sash.server.rls..", "dev.sash.server.resp..")
                  .and(not(resideInAPackage("dev.sash.server." + protocol + ".."))))
          .should()
          .dependOnClassesThat(resideInAPackage("dev.sash.server." + protocol + ".."))
          .check(SASH);
    }
  }

  /** Tests with a manual clock do not need a redis-server, and the other way round. */
  @Test
  void theTestkitKnowsNoRedisAndItsRedisServersNothingOfSash() {
    classes()
        .that(resideInAPackage(TESTKIT))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(CORE)
                .or(
                    resideInAnyPackage(
                        TESTKIT,
                        "java..",
                        "javax.tools",
                        "org.junit.jupiter.api..",
                        "org.assertj.core..",
                        "org.jspecify.annotations")))
        .check(SASH);
    classes()
        .that(resideInAPackage(TESTKIT_REDIS))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                TESTKIT_REDIS, "java..", "redis.embedded..", "org.jspecify.annotations"))
        .check(SASH);
  }

  @Test
  void storesEdgesTestkitAndCliUseTheCoreAndNothingUsesThem() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("dev.sash..")
        .layer("core")
        .definedBy(CORE)
        .layer("redis")
        .definedBy(REDIS)
        .layer("http")
        .definedBy(HTTP)
        .layer("config")
        .definedBy(CONFIG)
        .layer("servlet")
        .definedBy(SERVLET)
        .layer("micrometer")
        .definedBy(MICROMETER)
        .layer("client")
        .definedBy(CLIENT)
        .layer("grpc")
        .definedBy(GRPC)
        .layer("spring")
        .definedBy(SPRING)
        .layer("server")
        .definedBy(SERVER)
        .layer("testkit")
        .definedBy(TESTKIT)
        .layer("testkit-redis")
        .definedBy(TESTKIT_REDIS)
        .layer("cli")
        .definedBy(CLI)
        .whereLayer("core")
        .mayOnlyBeAccessedByLayers(
            "redis",
            "http",
            "config",
            "servlet",
            "micrometer",
            "client",
            "grpc",
            "spring",
            "server",
            "testkit",
            "cli")
        .whereLayer("redis")
        .mayOnlyBeAccessedByLayers("spring", "server")
        .whereLayer("http")
        .mayOnlyBeAccessedByLayers("servlet", "spring", "server")
        .whereLayer("config")
        .mayOnlyBeAccessedByLayers("server", "cli")
        .whereLayer("servlet")
        .mayOnlyBeAccessedByLayers("spring")
        .whereLayer("micrometer")
        .mayOnlyBeAccessedByLayers("spring", "server")
        .whereLayer("client")
        .mayOnlyBeAccessedByLayers("spring")
        .whereLayer("grpc")
        .mayOnlyBeAccessedByLayers("spring")
        .whereLayer("spring")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("server")
        .mayOnlyBeAccessedByLayers("cli")
        .whereLayer("testkit")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("testkit-redis")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("cli")
        .mayNotBeAccessedByAnyLayer()
        .check(SASH);
  }

  /**
   * What is public there is public for the packages of the same module only. The command line
   * suggests names as configuration files do.
   */
  @Test
  void whatIsInternalToAModuleIsUsedByThatModuleOnly() {
    noClasses()
        .that(not(resideInAPackage(HTTP)))
        .should()
        .dependOnClassesThat(resideInAPackage(HTTP_INTERNAL))
        .check(SASH);
    noClasses()
        .that(not(resideInAnyPackage(CONFIG, CLI)))
        .should()
        .dependOnClassesThat(resideInAPackage(CONFIG_INTERNAL))
        .check(SASH);
  }

  @Test
  void onlyStoresAndTheTestkitUseWhatIsInternal() {
    noClasses()
        .that(not(resideInAnyPackage(CORE)).and(not(resideInAnyPackage(REDIS, TESTKIT))))
        .should()
        .dependOnClassesThat(resideInAPackage(INTERNAL))
        .check(SASH);
  }

  /** An oracle that shares the arithmetic it judges would share its mistakes. */
  @Test
  void theTestkitSharesTheBoundsWithTheCoreButNoArithmetic() {
    noClasses()
        .that(resideInAPackage(TESTKIT))
        .should()
        .dependOnClassesThat(resideInAPackage(INTERNAL).and(not(equivalentTo(Bounds.class))))
        .check(SASH);
  }

  @Test
  void nothingInternalShowsInTheApi() {
    codeUnits()
        .that()
        .arePublic()
        .and()
        .areDeclaredInClassesThat(
            resideInAnyPackage(
                    API,
                    STORE,
                    ADDRESS,
                    KEY,
                    MEMORY,
                    REDIS,
                    HTTP,
                    CONFIG,
                    SERVLET,
                    MICROMETER,
                    CLIENT,
                    GRPC)
                .and(not(resideInAPackage(ALL_INTERNAL))))
        .should()
        .notHaveRawReturnType(resideInAPackage(ALL_INTERNAL))
        .andShould()
        .notHaveRawParameterTypes(anyElementThat(resideInAPackage(ALL_INTERNAL)))
        .check(SASH);
  }

  @Test
  void onlyTheInMemoryStoreIsPublicInItsPackage() {
    classes()
        .that(
            resideInAPackage(MEMORY)
                .and(not(equivalentTo(InMemoryStore.class)))
                .and(not(equivalentTo(InMemoryStore.Builder.class))))
        .should()
        .notBePublic()
        .check(SASH);
  }

  /** A package with more is two topics. The testkit is exempt: its users import one package. */
  @Test
  void packagesHaveAtMostTwentyFiles() {
    Map<String, Long> files =
        SASH.stream()
            .filter(type -> type.isTopLevelClass() && !type.getPackageName().equals(TESTKIT))
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
    assertThat(files).allSatisfy((name, count) -> assertThat(count).isLessThanOrEqualTo(20));
  }

  @Test
  void packagesFormNoCyclesExceptThroughTheFacade() {
    slices()
        .assignedFrom(new EachPackage())
        .should()
        .beFreeOfCycles()
        .ignoreDependency(equivalentTo(Sash.class), resideInAPackage(MEMORY))
        .check(SASH);
  }

  /**
   * A limiter uses stores, which decide about its limits: the API, the store interface and what
   * both share are one unit.
   */
  private static final class EachPackage implements SliceAssignment {
    private static final Set<String> UNIT =
        Set.of("dev.sash", "dev.sash.store", "dev.sash.internal");

    @Override
    public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
      String name = javaClass.getPackageName();
      return SliceIdentifier.of(UNIT.contains(name) ? API : name);
    }

    @Override
    public String getDescription() {
      return "each package, with the API and the store interface as one";
    }
  }
}
