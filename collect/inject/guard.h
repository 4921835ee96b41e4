/*
 * guard.h - did the work change more than the method's time? What the JIT compilers decided about the method, with and
 * without it.
 *
 * A method that is no longer inlined, or compiled, because its bytecode has grown is another program: a slope over such
 * a point says nothing about the profiler. HotSpot's compilers say what they do in the JVM's unified log
 * (-Xlog:jit+compilation=debug,jit+inlining=debug), which costs them next to nothing and, unlike the JVM TI event of a
 * compiled method, does not make them record more about their code.
 */
#ifndef ASSAY_INJECT_GUARD_H
#define ASSAY_INJECT_GUARD_H

#include "collect/inject/inject_table.h"

/* What to give -Xlog before a file's name, and after it. */
#define GUARD_LOG "-Xlog:jit+compilation=debug,jit+inlining=debug:file="
#define GUARD_LOG_OPTIONS ":none:filecount=0"

/* Counts of what the compilers said about one method, over all JVMs of a run. */
struct guard_decisions {
    uint64_t compiled[5];       /* by level: 1-3 C1, 4 C2 */
    uint64_t inlined, left_out; /* by C2, at call sites: yes; no, since it is too big */
};

/* Adds what the log of one JVM says. 0 or an errno value. O(size of the log). */
int guard_read_log(const char *path, const char *method, struct guard_decisions *decisions);

/* Columns compiled (C2, C1, no), inlined (yes, partly, no, or never: C2 never thought of it) and size_class: of
 * HotSpot's default limits for inlining anything (35 bytes), for inlining what is hot (325), and for compiling (8000).
 */
void guard_describe(const struct guard_decisions *decisions, struct inject_row *row);

/* Column guard of all rows: "ok", or "invalid: " and what the compilers decided about the method that they never
 * decided in a run without work; so too where the table has no such run. */
void guard_judge(struct inject_table *table);

#endif
