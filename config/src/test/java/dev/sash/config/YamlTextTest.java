package dev.sash.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is no usable YAML at all. */
class YamlTextTest {
  private static final String NOTHING =
      "sash.yaml: says nothing: must have policies, or a domain, or rate-limiter";

  @ParameterizedTest
  @ValueSource(
      strings = {"", "\n\n", "# only a comment\n", "---\n", "---\n...\n", "~", "null", "\uFEFF"})
  void aFileMustSaySomething(String text) {
    assertThat(NativeProblemsTest.messageFor(text)).isEqualTo(NOTHING);
  }

  private static Stream<Arguments> texts() {
    String mapping = "the file must be a mapping with policies, or a domain, or rate-limiter, was ";
    return Stream.of(
        Arguments.of("- a", "1:1: " + mapping + "a list"),
        Arguments.of("hello", "1:1: " + mapping + "'hello'"),
        Arguments.of(
            "policies: {p: {limit: 1/s}",
            "1:27: is not YAML: expected ',' or '}', but got <stream end>"),
        Arguments.of(
            "policies:\n\tp: 1",
            "2:1: is not YAML: found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB) for indentation)"),
        Arguments.of(
            "policies:\n  p:\n    limit: 5/s\n   mode: off",
            "4:4: is not YAML: expected <block end>, but found '<block mapping start>'"),
        Arguments.of("policies: 'p", "1:13: is not YAML: found unexpected end of stream"),
        Arguments.of("policies: *p", "1:11: is not YAML: found undefined alias p"),
        Arguments.of(
            "policies: {}\n---\npolicies: {}", "2:1: is not YAML: but found another document"),
        Arguments.of("policies: \"\\Uffffffff\"", " is not YAML: "),
        Arguments.of("a: 1\nb\u0000: 1", "2:2: character U+0000 is not allowed"),
        Arguments.of("a: \u0007", "1:4: character U+0007 is not allowed"),
        Arguments.of("a: 😀\ud800", "1:5: character U+D800 is not allowed"),
        Arguments.of("policies: !secret x", "1:11: tag '!secret' is not understood: leave it out"),
        Arguments.of(
            "policies: &a {p: *a}",
            "1:11: is too large: with all that aliases stand for, there must be at most 262144 values, nested at most 64 deep"),
        Arguments.of("%YAML 3.0\n---\na: 1", " is not YAML: Version{major=3, minor=0}"),
        Arguments.of(
            "a: !<%zz> b",
            "1:7: is not YAML: expected URI escape sequence of 2 hexadecimal numbers"));
  }

  @ParameterizedTest
  @MethodSource("texts")
  void saysWhere(String text, String expected) {
    assertThat(NativeProblemsTest.messageFor(text)).startsWith("sash.yaml:" + expected);
  }

  @Test
  void deepNestingIsRefusedBeforeItFillsTheStack() {
    assertThat(NativeProblemsTest.messageFor("a: " + "[".repeat(500_000)))
        .isEqualTo("sash.yaml:1:66: is not YAML: nested deeper than 64");
    assertThat(NativeProblemsTest.messageFor("a: " + "{a: ".repeat(200_000)))
        .startsWith("sash.yaml:1:")
        .endsWith(": is not YAML: nested deeper than 64");
    assertThat(NativeProblemsTest.messageFor("- ".repeat(500_000)))
        .startsWith("sash.yaml:1:")
        .endsWith(": is not YAML: nested deeper than 64");
    assertThat(NativeProblemsTest.messageFor("? ".repeat(500_000)))
        .startsWith("sash.yaml:1:")
        .endsWith(": is not YAML: nested deeper than 64");
  }

  @Test
  void aliasesCannotMakeMuchOfLittle() {
    StringBuilder bomb = new StringBuilder("domain: d\ndescriptors:\n- &a0 {key: k}\n");
    for (int i = 1; i <= 12; i++) {
      String below = "*a" + (i - 1);
      bomb.append("- &a").append(i).append(" {key: k").append(i).append(", descriptors: [");
      bomb.append(below).append(", ").append(below).append(", ").append(below).append(", ");
      bomb.append(below).append("]}\n");
    }
    assertThat(NativeProblemsTest.messageFor(bomb.toString()))
        .contains("is too large: with all that aliases stand for");
  }

  /** One of them would keep the library busy for ever. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a: &a {<<: *a}",
        "a: &a {!!merge b: *a}",
        "a: &a {b: 1}\nc: {<<: *a}",
        "a: {<<: 5}",
      })
  void mergingIsRefused(String text) {
    assertThat(NativeProblemsTest.messageFor(text))
        .endsWith(
            ": is not YAML: merging (<<) is not part of YAML 1.2, write out what is to be merged");
  }

  @Test
  void aQuotedMergeKeyIsANameLikeAnyOther() {
    assertThat(NativeProblemsTest.messageFor("'<<': 1"))
        .startsWith("sash.yaml:1:1: unknown name '<<'");
  }

  @Test
  void aFileHasAtMostAMebibyte() {
    String text = "policies: {p: {limit: 1/s}} #";
    String longest = text + "x".repeat((1 << 20) - text.length());

    assertThat(Configuration.parse(longest, "sash.yaml").policies()).containsKey("p");
    assertThat(NativeProblemsTest.messageFor(longest + "x"))
        .isEqualTo("sash.yaml: must not be longer than 1048576 characters");
  }

  @Test
  void longValuesFillNoStack() {
    for (String value :
        new String[] {"1" + "_1".repeat(400_000), "1.".repeat(400_000), "a:".repeat(400_000)}) {
      String text = "policies: {p: {limit: 5/s, %s: '" + value + "'}}";
      for (String name : new String[] {"cost", "key", "mode", "deadline", "deny", "limit"}) {
        assertThat(NativeProblemsTest.messageFor(String.format(text, name))).contains(name);
      }
    }
  }

  @Test
  void aMessageIsOneLineWhateverStandsInTheFile() {
    assertThat(NativeProblemsTest.messageFor("\"a\\nb\\x1b[31m\\u202e\": 1"))
        .isEqualTo(
            "sash.yaml:1:1: unknown name 'a\\u000ab\\u001b[31m\\u202e', allowed are policies,"
                + " trusted-proxies, forwarded-by, deny-status, ad-hoc-limits, rls");
    assertThat(NativeProblemsTest.messageFor("policies: {p: {limit: '" + "9".repeat(5_000) + "'}}"))
        .hasSizeLessThan(700);
  }
}
