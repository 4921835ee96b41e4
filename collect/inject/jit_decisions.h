/*
 * jit_decisions.h - did the work change more than the method's time? The JIT compilers' decisions about the method,
 * with and without it.
 *
 * A method that is no longer inlined, or compiled, because its bytecode has grown makes it a different program: a slope
 * over such a point says nothing about the profiler. HotSpot's compilers report what they do in the JVM's unified log
 * (-Xlog:jit+compilation=debug,jit+inlining=debug), which costs them next to nothing and, unlike the JVM TI event of a
 * compiled method, does not make them record more about their code.
 */
#ifndef ASSAY_INJECT_JIT_DECISIONS_H
#define ASSAY_INJECT_JIT_DECISIONS_H

#include "collect/inject/inject_table.h"

/* The arguments of -Xlog before a file's name, and after it. */
#define JIT_LOG "-Xlog:jit+compilation=debug,jit+inlining=debug:file="
#define JIT_LOG_OPTIONS ":none:filecount=0"

/* Counts of the compilers' messages about one method, over all JVMs of a run. */
struct jit_decisions {
    uint64_t compiled[5];       /* by level: 1-3 C1, 4 C2 */
    uint64_t inlined, left_out; /* by C2, at call sites: yes; no, since it is too big */
};

/* Adds the log of one JVM. 0 or an errno value. O(size of the log). */
int jit_decisions_read(const char *path, const char *method, struct jit_decisions *decisions);

/* Columns compiled (C2, C1, no), inlined (yes, partly, no, or never: C2 never considered it) and size_class: of
 * HotSpot's default limits for inlining anything (35 bytes), for inlining what is hot (325), and for compiling (8000).
 */
void jit_decisions_describe(const struct jit_decisions *decisions, struct inject_row *row);

/* Column guard of all rows: "ok", or "invalid: " and the compilers' decisions about the method that never occurred in a
 * run without work; also if the table has no such run. */
void jit_decisions_set_guards(struct inject_table *table);

#endif
