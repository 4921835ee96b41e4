/*
 * strd_anova.h - ANOVA sets of the NIST Statistical Reference Datasets: data and certified values, read from NIST's
 * files (https://www.itl.nist.gov/div898/strd/anova/anova.html).
 */
#ifndef ASSAY_TESTS_STRD_ANOVA_H
#define ASSAY_TESTS_STRD_ANOVA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/exact/real_moments.h"
#include "tests/stats/strd_file.h"

enum { STRD_TREATMENTS = 16 };

struct strd_anova {
    double dof_between, ss_between, ms_between, f;
    double dof_within, ss_within, ms_within;
    double r_squared, residual_sd;
    size_t treatments;
    struct real_moments moments[STRD_TREATMENTS];
};

/* A line "Between Treatment  8 1.68E+00 …": the numbers after two words. */
static inline void strd_numbers(const char *line, int count, double *const to[])
{
    int used = 0;
    sscanf(line, " %*s %*s%n", &used);
    char *next = (char *)(uintptr_t)line + used;
    for (int i = 0; i < count; i++)
        *to[i] = strtod(next, &next);
}

static inline void strd_header(const char *line, struct strd_anova *set)
{
    line += strspn(line, " ");
    if (strncmp(line, "Between ", 8) == 0)
        strd_numbers(line, 4, (double *const[]){&set->dof_between, &set->ss_between, &set->ms_between, &set->f});
    else if (strncmp(line, "Within ", 7) == 0)
        strd_numbers(line, 3, (double *const[]){&set->dof_within, &set->ss_within, &set->ms_within});
    else if (strncmp(line, "Certified R-Squared", 19) == 0)
        strd_numbers(line, 1, (double *const[]){&set->r_squared});
    else if (strncmp(line, "Standard Deviation", 18) == 0)
        strd_numbers(line, 1, (double *const[]){&set->residual_sd});
}

/* A line "3  1000000000000.5": treatment, value. */
static inline int strd_value(const char *line, struct strd_anova *set)
{
    char value[64];
    size_t treatment;
    struct decimal decimal;
    if (sscanf(line, " %zu %63s", &treatment, value) != 2 || treatment < 1 || treatment > STRD_TREATMENTS ||
        decimal_parse(value, strlen(value), &decimal) || real_moments_add(&set->moments[treatment - 1], &decimal, 1))
        return -1;
    if (treatment > set->treatments)
        set->treatments = treatment;
    return 0;
}

/* Returns 0, or -1 if the file isn't there or has another form. */
static inline int strd_anova_read(const char *name, struct strd_anova *set)
{
    char line[256];
    int number = 0, first = 0, last = 0, result = 0;
    memset(set, 0, sizeof *set);
    FILE *file = strd_open(name);
    if (!file)
        return -1;
    while (fgets(line, sizeof line, file)) {
        number++;
        if (sscanf(line, " Data (lines %d to %d)", &first, &last) == 2)
            continue;
        if (number >= first && number <= last)
            result |= strd_value(line, set);
        else
            strd_header(line, set);
    }
    fclose(file);
    return last ? result : -1;
}

#endif
