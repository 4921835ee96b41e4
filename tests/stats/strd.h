/*
 * strd.h - data sets of the NIST Statistical Reference Datasets (univariate), as exact integers: the decimal text times
 * a power of ten. They are read where ASSAY_STRD (or ../shared/strd) has them, and tests skip where it doesn't.
 */
#ifndef ASSAY_TESTS_STRD_H
#define ASSAY_TESTS_STRD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct strd_case {
    const char *name;
    unsigned decimals; /* of the data */
    double mean, sd, r1;
};

/* Certified values: https://www.itl.nist.gov/div898/strd/univ/homepage.html */
static const struct strd_case strd_cases[] = {
    {"Lew", 0, -177.435, 277.332168044316, -0.307304800605679},
    {"Michelso", 2, 299.8524, 0.0790105478190518, 0.535199668621283},
    {"NumAcc1", 0, 10000002, 1, -0.5},
    {"NumAcc3", 1, 1000000.2, 0.1, -0.999},
    {"PiDigits", 0, 4.5348, 2.86733906028871, -0.00355099287237972},
};
enum { STRD_CASES = sizeof strd_cases / sizeof *strd_cases, STRD_MAX = 5000 };

static inline int64_t strd_scaled(const char *text, unsigned decimals)
{
    char digits[64];
    size_t used = 0;
    const char *point = strchr(text, '.');
    for (const char *c = text; *c && used < 40; c++)
        if (strchr("-0123456789", *c))
            digits[used++] = *c;
    size_t given = point ? strspn(point + 1, "0123456789") : 0;
    for (; given < decimals; given++)
        digits[used++] = '0';
    digits[used] = '\0';
    return strtoll(digits, NULL, 10);
}

/* The values in x[STRD_MAX]; returns how many, 0 if the file isn't there. */
static inline size_t strd_read(const struct strd_case *known, int64_t *x)
{
    char path[4096], line[256];
    const char *directory = getenv("ASSAY_STRD");
    snprintf(path, sizeof path, "%s/univ/%s.dat", directory ? directory : "../shared/strd", known->name);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    size_t n = 0;
    int in_data = 0, after_title = 0;
    while (fgets(line, sizeof line, file)) {
        if (in_data && line[strspn(line, " \r\n")] && n < STRD_MAX)
            x[n++] = strd_scaled(line, known->decimals);
        in_data |= after_title && strncmp(line, "---", 3) == 0;
        after_title = strncmp(line, "Data: ", 6) == 0;
    }
    fclose(file);
    return n;
}

#endif
