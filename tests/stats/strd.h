/*
 * strd.h - a univariate data set of the NIST Statistical Reference Datasets, from its file: the values as decimals, the
 * certified results from the header. https://www.itl.nist.gov/div898/strd/univ/homepage.html
 */
#ifndef ASSAY_TESTS_STRD_H
#define ASSAY_TESTS_STRD_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/exact/decimal.h"
#include "tests/stats/strd_file.h"

static const char *const strd_names[] = {"univ/Lew", "univ/Michelso", "univ/NumAcc1", "univ/NumAcc3", "univ/PiDigits"};
enum { STRD_NAMES = sizeof strd_names / sizeof *strd_names, STRD_MAX = 5000 };

struct strd {
    size_t n;
    struct decimal values[STRD_MAX];
    double mean, sd, r1; /* certified, 15 digits */
};

/* The number after the colon in a line that contains `what`. */
static inline void strd_certified(const char *line, const char *what, double *out)
{
    const char *found = strstr(line, what), *colon = found ? strchr(found, ':') : NULL;
    if (colon)
        *out = strtod(colon + 1, NULL);
}

/* Whether there are exactly as many numbers as the header states. */
static inline bool strd_read(const char *name, struct strd *out)
{
    char line[256];
    FILE *file = strd_open(name);
    double announced = NAN;
    bool good = file != NULL, after_title = false, in_data = false;
    *out = (struct strd){.mean = NAN, .sd = NAN, .r1 = NAN};
    while (good && fgets(line, sizeof line, file)) {
        const char *text = line + strspn(line, " ");
        size_t length = strcspn(text, " \r\n");
        if (in_data && length > 0)
            good = out->n < STRD_MAX && !decimal_parse(text, length, &out->values[out->n++]);
        in_data |= after_title && strncmp(line, "---", 3) == 0;
        after_title = strncmp(line, "Data: Y", 7) == 0;
        strd_certified(line, "Sample Mean ", &out->mean);
        strd_certified(line, "Sample Standard Deviation", &out->sd);
        strd_certified(line, "Sample Autocorrelation Coefficient", &out->r1);
        strd_certified(line, "Number of Observations", &announced);
    }
    if (file)
        fclose(file);
    return good && announced == (double)out->n;
}

/* The values as integers in x[STRD_MAX]; divide them by the return value. */
static inline double strd_integers(const struct strd *data, int64_t *x)
{
    int32_t least = 0;
    for (size_t i = 0; i < data->n; i++)
        least = data->values[i].exponent < least ? data->values[i].exponent : least;
    for (size_t i = 0; i < data->n; i++)
        decimal_align(data->values[i], least, &x[i]);
    return pow(10, -least);
}

#endif
