package dev.sash.spring.web;

import dev.sash.http.PolicyDecision;
import dev.sash.http.Verdict;
import dev.sash.spring.RateLimitExceededException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was decided about one request, by the filter and behind it: the response tells of all of it.
 * Thread-safe.
 */
public final class RequestDecisions {
  /** Where a request carries it. */
  public static final String ATTRIBUTE = RequestDecisions.class.getName();

  private final @Nullable Verdict filter;
  private final Map<List<String>, PolicyDecision> behind = new LinkedHashMap<>();

  /**
   * The filter has decided.
   *
   * @param filter what it said; null if there is none
   */
  public RequestDecisions(@Nullable Verdict filter) {
    this.filter = filter;
  }

  /**
   * Returns the verdict of the filter.
   *
   * @return null if there is none
   */
  public @Nullable Verdict verdict() {
    return filter;
  }

  /**
   * Another decision. The last one of a policy and key counts.
   *
   * @param decision an admission
   * @return all of them
   */
  public synchronized List<PolicyDecision> with(PolicyDecision decision) {
    behind.put(List.of(decision.policy(), decision.key()), decision);
    return all();
  }

  /**
   * The request ends here: what the filter has charged is given back.
   *
   * @param denial why
   * @return all decisions, the denial included
   */
  public synchronized List<PolicyDecision> endedBy(RateLimitExceededException denial) {
    if (filter != null) {
      filter.giveBack();
    }
    behind.values().removeIf(earlier -> earlier.policy().equals(denial.policy()));
    List<PolicyDecision> all = all();
    all.add(new PolicyDecision(denial.policy(), denial.limits(), null, "", 0, denial.decision()));
    return all;
  }

  private List<PolicyDecision> all() {
    List<PolicyDecision> all = new ArrayList<>();
    if (filter != null) {
      all.addAll(filter.decisions());
    }
    all.addAll(behind.values());
    return all;
  }
}
