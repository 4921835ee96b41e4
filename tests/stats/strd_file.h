/*
 * strd_file.h - files of the NIST Statistical Reference Datasets as NIST wrote them,
 * https://www.itl.nist.gov/div898/strd. They are not part of this project: the tests look for them in the directory
 * that the environment variable STRD names (default ../shared/strd), in the folders univ, anova and linreg, and skip
 * those that aren't there.
 */
#ifndef ASSAY_TESTS_STRD_FILE_H
#define ASSAY_TESTS_STRD_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/tap.h"

static inline const char *strd_directory(void)
{
    const char *named = getenv("STRD");
    return named ? named : "../shared/strd";
}

/* Opens a file by its name, such as "univ/Lew"; NULL if there is no such file. */
static inline FILE *strd_open(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.dat", strd_directory(), name);
    return fopen(path, "r");
}

/* Whether the file is there; if not, the test reports that it skips it. */
static inline bool strd_there(const char *name)
{
    FILE *file = strd_open(name);
    if (file)
        fclose(file);
    else
        skip("no %s.dat of NIST in %s (STRD names another directory)", name, strd_directory());
    return file != NULL;
}

#endif
