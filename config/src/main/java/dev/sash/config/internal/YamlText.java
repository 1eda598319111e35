package dev.sash.config.internal;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.exceptions.ComposerException;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Reads YAML 1.2 into a tree that is safe to walk: of bounded size and depth even where aliases
 * repeat parts of it, every mapping with texts for keys and none of them twice, and no tags.
 */
public final class YamlText {
  /** The longest file, in characters and in bytes. */
  public static final int LONGEST = 1 << 20;

  private static final int DEEPEST = 64;
  private static final int MOST_NODES = 1 << 18;

  private final LoadSettings settings =
      LoadSettings.builder()
          .setSchema(new CoreSchema())
          .setAllowNonScalarKeys(true) // refused below, with their place
          .build();
  private final ProblemSink problems;
  private int nodes;

  private YamlText(ProblemSink problems) {
    this.problems = problems;
  }

  /** The only document in the text; null if there is none that could be used. */
  public static @Nullable Setting read(String text, ProblemSink problems) {
    if (text.length() > LONGEST) {
      problems.add("must not be longer than " + LONGEST + " characters");
      return null;
    }
    String withoutMark = text.startsWith("\uFEFF") ? text.substring(1) : text;
    Node root = new YamlText(problems).read(withoutMark);
    return root == null ? null : Setting.root(root, problems);
  }

  private @Nullable Node read(String text) {
    if (!isPrintable(text)) {
      return null;
    }
    try {
      Optional<Node> root = new BoundedComposer(settings, text).getSingleNode();
      if (root.isEmpty() || root.get().getTag().equals(Tag.NULL)) {
        problems.add("says nothing: must have policies, or a domain, or rate-limiter");
      } else if (isSafe(root.get(), DEEPEST)) {
        return root.get();
      }
    } catch (MarkedYamlEngineException e) {
      Optional<Mark> mark = e.getProblemMark().or(e::getContextMark);
      String message = "is not YAML: " + e.getProblem();
      mark.ifPresentOrElse(m -> add(m, message), () -> problems.add(message));
    } catch (YamlEngineException | IllegalArgumentException e) {
      problems.add("is not YAML: " + e.getMessage());
    }
    return null;
  }

  /** The library says of such characters only how many stand in front of them. */
  private boolean isPrintable(String text) {
    int line = 1;
    int column = 1;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      if (!StreamReader.isPrintable(c)) {
        problems.add(line, column, String.format("character U+%04X is not allowed", c));
        return false;
      }
      i += Character.charCount(c);
      line = c == '\n' ? line + 1 : line;
      column = c == '\n' ? 1 : column + 1;
    }
    return true;
  }

  private void add(Mark mark, String message) {
    problems.add(mark.getLine() + 1, mark.getColumn() + 1, message);
  }

  /** Notes what is wrong; false if the tree must not be walked. */
  private boolean isSafe(Node node, int depthLeft) {
    if (++nodes > MOST_NODES || depthLeft == 0) {
      add(
          Setting.markOf(node),
          "is too large: with all that aliases stand for, there must be at most "
              + MOST_NODES
              + " values, nested at most "
              + DEEPEST
              + " deep");
      return false;
    }
    if (!node.getTag().getValue().startsWith(Tag.PREFIX)) {
      String tag = Setting.quoted(node.getTag().getValue());
      add(Setting.markOf(node), "tag " + tag + " is not understood: leave it out");
    }
    if (node instanceof SequenceNode list) {
      return list.getValue().stream().allMatch(element -> isSafe(element, depthLeft - 1));
    }
    return !(node instanceof MappingNode mapping) || isSafe(mapping, depthLeft);
  }

  private boolean isSafe(MappingNode mapping, int depthLeft) {
    Map<String, Mark> seen = new HashMap<>();
    for (NodeTuple entry : mapping.getValue()) {
      Mark mark = Setting.markOf(entry.getKeyNode());
      if (!(entry.getKeyNode() instanceof ScalarNode key)) {
        add(mark, "a name must be text, was a list or a mapping");
        return false;
      }
      String name = Setting.quoted(key.getValue());
      Mark first = seen.putIfAbsent(key.getValue(), mark);
      if (first != null) {
        add(mark, "name " + name + " stands at line " + (first.getLine() + 1) + " already");
      }
      if (!isSafe(entry.getValueNode(), depthLeft - 1)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Refuses what is nested so deep that to follow it would fill the stack, and merge keys: the
   * library never ends with a mapping that is merged into itself.
   */
  private static final class BoundedComposer extends Composer {
    private int depth;

    BoundedComposer(LoadSettings settings, String text) {
      this(settings, new ParserImpl(settings, new StreamReader(settings, text)));
    }

    private BoundedComposer(LoadSettings settings, Parser parser) {
      super(settings, parser);
    }

    @Override
    protected SequenceNode composeSequenceNode(Optional<Anchor> anchor) {
      enter();
      SequenceNode node = super.composeSequenceNode(anchor);
      depth--;
      return node;
    }

    @Override
    protected Node composeMappingNode(Optional<Anchor> anchor) {
      enter();
      Node node = super.composeMappingNode(anchor);
      depth--;
      return node;
    }

    @Override
    protected Node composeKeyNode(MappingNode mapping) {
      Node key = super.composeKeyNode(mapping);
      if (key.getTag().equals(Tag.MERGE)) {
        throw new ComposerException(
            "merging (<<) is not part of YAML 1.2, write out what is to be merged",
            key.getStartMark());
      }
      return key;
    }

    private void enter() {
      if (++depth >= DEEPEST) {
        throw new ComposerException(
            "nested deeper than " + DEEPEST, parser.peekEvent().getStartMark());
      }
    }
  }
}
