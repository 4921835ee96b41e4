/* series_of.h - series for tests, from numbers as text. */
#ifndef ASSAY_TESTS_SERIES_OF_H
#define ASSAY_TESTS_SERIES_OF_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/exact/series.h"

/* A test with bad data is useless, so it ends here. */
static inline void series_must(enum stats_status status, const char *what)
{
    if (status) {
        printf("Bail out! %s: %s\n", what, stats_status_text(status));
        exit(1);
    }
}

static inline void series_add_text(struct series *series, const char *text, size_t length)
{
    struct decimal value;
    series_must(decimal_parse(text, length, &value), text);
    series_must(series_append(series, &value, 1), text);
}

static inline void series_add_integer(struct series *series, int64_t value)
{
    series_must(series_append(series, &(struct decimal){value, 0}, 1), "append");
}

/* The numbers of a text, which spaces or line ends separate. */
static inline struct series series_of(const char *text)
{
    struct series series = {0};
    for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
        size_t length = strcspn(text, " \n");
        series_add_text(&series, text, length);
        text += length;
    }
    return series;
}

#endif
