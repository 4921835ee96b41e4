/*
 * native_report.h - the report of assay inject's library in native processes: a file with one struct, which it
 * writes through a shared mapping, so that nothing is lost if the process is killed or replaced.
 */
#ifndef ASSAY_INJECT_NATIVE_REPORT_H
#define ASSAY_INJECT_NATIVE_REPORT_H

#include <stdatomic.h>
#include <stdint.h>

/* The end of its name, in the directory that INJECT_ENVIRONMENT names. */
#define NATIVE_REPORT_SUFFIX ".work"

/* The library itself. */
#define NATIVE_REPORT_LIBRARY "libassay-inject-native.so"

enum { NATIVE_REPORT_MAGIC = 0x6b726f77, NATIVE_REPORT_TEXT_MAX = 400 };

/* A process in which a module calls hooks has one; its forks share it. */
struct native_report {
    uint32_t magic;
    _Atomic uint32_t functions;             /* of that name, as addresses */
    _Atomic uint64_t calls, elsewhere;      /* of the function; those from code outside it: an inlined copy */
    _Atomic uint64_t bytes;                 /* of the function's code, as its symbol has them; of the largest one */
    _Atomic uint64_t cpu_ns;                /* of processes that exited normally; 0: none did */
    char ambiguous[NATIVE_REPORT_TEXT_MAX]; /* how to name each of several functions of that name; or "" */
    char module[NATIVE_REPORT_TEXT_MAX];    /* the first module that calls hooks */
};

#endif
