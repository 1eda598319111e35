/**
 * Tests for limits and for stores: a clock moved by hand, the decision contract as a slow and
 * obvious model and as test classes to extend, and a checker of recorded histories.
 */
@NullMarked
package dev.sash.testkit;

import org.jspecify.annotations.NullMarked;
