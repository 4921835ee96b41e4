/*
 * inject.h - shared by the files of assay-inject: the request, and a row of its table.
 */
#ifndef ASSAY_INJECT_INJECT_H
#define ASSAY_INJECT_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error_text.h"

enum { INJECT_WORD_MAX = 64, INJECT_VERDICT_MAX = 512, INJECT_AMOUNTS_MAX = 10000 };

/* Column compiled of a native function. */
#define INJECT_NATIVE "native"

struct inject_options {
    const char *method;        /* the current one, of those below */
    const char *work, *output; /* output NULL: standard output */
    const char **methods;      /* [method_count], as they are named; none with hot */
    size_t method_count;
    uint64_t hot;        /* this many of the hottest methods … */
    const char **traces; /* [trace_count] … of these */
    size_t trace_count;
    double slowdown;   /* by so much of the program's CPU time, instead of by amounts … */
    uint64_t steps;    /* … in so many steps; 0: by amounts */
    const char *plan;  /* a file for the methods and amounts that are chosen, with no runs beyond; or NULL */
    uint32_t *amounts; /* [amount_count], ascending, 0 first; with `steps` capacity for steps + 1 */
    size_t amount_count;
    uint64_t runs, seed;
    bool quiet;
    char *const *command; /* ends with NULL */
};

/* One run of the command with one amount. Unknown times are NaN and unknown counts 0. */
struct inject_row {
    char *method, *work;
    uint32_t amount;
    uint64_t run;
    double program_ms, cpu_ms; /* wall and CPU time of the command with its descendants */
    double jvm_ms, jvm_cpu_ms; /* of the processes with the method; native: CPU time of those that exit normally */
    double java_cpu_ms;        /* of that, without the threads of the compilers, the collector and the VM */
    double start_java_ms;      /* of that, before the first class that the boot loader does not load */
    uint64_t calls;
    double injected_ms; /* calls × the calibrated time of the work */
    uint32_t bytes;     /* of bytecode, of the largest method of that name; of code, of a native function */
    char compiled[INJECT_WORD_MAX], inlined[INJECT_WORD_MAX], size_class[INJECT_WORD_MAX];
    char guard[INJECT_VERDICT_MAX], status[INJECT_VERDICT_MAX];
    char *command;
};

/* --- command_line.c --- */

/* Exits on bad usage, and after --help. False without memory. */
bool command_line_read(int argc, char **argv, struct inject_options *options);
void command_line_free(struct inject_options *options);

/* --- hottest.c: the hottest methods of traces, as assay hot finds them, by names that assay inject accepts --- */

struct hottest {
    char **names; /* [count], the hottest first; each once: overloads of a method of Java are one */
    size_t count;
};

/* Only Java methods, if there are any in the traces; no functions of assay's own agents. Runs assay-hot from the
 * directory of this program. Free in either case. */
int hottest_read(const char *const *traces, size_t count, struct hottest *found, struct error_text *message);
void hottest_free(struct hottest *found);

#endif
