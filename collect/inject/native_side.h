/*
 * native_side.h - assay inject and native programs: how work is injected into them, and their reports.
 */
#ifndef ASSAY_INJECT_NATIVE_SIDE_H
#define ASSAY_INJECT_NATIVE_SIDE_H

#include "collect/inject/inject.h"
#include "collect/inject/native_report.h"

/* The reports of all processes. Start with {0}. */
struct native_gathered {
    size_t processes; /* in which functions call hooks */
    uint64_t functions, calls, elsewhere, bytes, cpu_ns;
    char ambiguous[NATIVE_REPORT_TEXT_MAX], module[NATIVE_REPORT_TEXT_MAX];
};

/* Whether a name is that of a function, not of a method of Java: those have a class. */
bool native_is_name(const char *method);

/* LD_PRELOAD with the library prepended; NULL without memory. */
char *native_preload(const char *library);

/* Adds the report at `path`; what is not a report is ignored. */
void native_read_report(const char *path, struct native_gathered *all);

/* Columns compiled, inlined, bytes and jvm_cpu_ms. */
void native_describe(const struct native_gathered *all, struct inject_row *row);

/* STATUS_BAD: a problem that no other run would change. `ended_well`: the command exited normally. */
int native_check_report(const char *method, const struct native_gathered *all, bool ended_well,
                        struct error_text *message);

#endif
