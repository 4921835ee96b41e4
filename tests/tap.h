/*
 * tap.h - C tests that print TAP. A test file is a main that calls ok()/is_*() and returns done_testing().
 */
#ifndef ASSAY_TAP_H
#define ASSAY_TAP_H

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 2, 3))) static inline bool ok(bool good, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("%sok %d - ", good ? "" : "not ", ++tap_count);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
    fflush(stdout);
    tap_failed += !good;
    return good;
}

static inline bool is_u64(uint64_t got, uint64_t expected, const char *what)
{
    bool good = ok(got == expected, "%s", what);
    if (!good)
        printf("# got %" PRIu64 ", expected %" PRIu64 "\n", got, expected);
    return good;
}

/* Relative error ≤ tolerance (absolute where expected is 0). */
static inline bool is_real(double got, double expected, double tolerance, const char *what)
{
    double scale = expected == 0 ? 1 : fabs(expected);
    bool good = ok(fabs(got - expected) <= tolerance * scale, "%s", what);
    if (!good)
        printf("# got %.17g, expected %.17g\n", got, expected);
    return good;
}

static inline bool is_text(const char *got, const char *expected, const char *what)
{
    bool good = ok(got && strcmp(got, expected) == 0, "%s", what);
    if (!good)
        printf("# got \"%s\", expected \"%s\"\n", got ? got : "(null)", expected);
    return good;
}

__attribute__((format(printf, 1, 2))) static inline void skip(const char *why, ...)
{
    va_list args;
    va_start(args, why);
    printf("ok %d # SKIP ", ++tap_count);
    vprintf(why, args);
    putchar('\n');
    va_end(args);
    fflush(stdout);
}

static inline int done_testing(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed ? 1 : 0;
}

#endif
