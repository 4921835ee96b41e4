#include "analyze/causality/points.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void points_free(struct points *points)
{
    for (size_t m = 0; m < points->count; m++) {
        for (size_t r = 0; r < points->methods[m].run_count; r++) {
            struct points_run *run = &points->methods[m].runs[r];
            free(run->real);
            free(run->reported);
            free(run->amount);
        }
        free(points->methods[m].runs);
    }
    free(points->methods);
    text_set_free(&points->keys);
    text_set_free(&points->families);
}

struct points_method *points_method_of(struct points *points, char *const *texts, size_t text_count)
{
    uint32_t key = text_set_add_tuple(&points->keys, (const char *const *)texts, text_count);
    uint32_t family = text_set_add_tuple(&points->families, (const char *const *)texts, text_count - 1);
    if (key == TEXT_SET_FULL || family == TEXT_SET_FULL)
        return NULL;
    if (key < points->count)
        return &points->methods[key];
    struct points_method *methods = realloc(points->methods, (points->count + 1) * sizeof *methods);
    if (!methods)
        return NULL;
    points->methods = methods;
    methods[points->count] = (struct points_method){.texts = texts, .family = family};
    return &methods[points->count++];
}

struct points_run *points_run_of(struct points_method *method, const char *name)
{
    for (size_t r = 0; r < method->run_count; r++)
        if (strcmp(method->runs[r].name, name) == 0)
            return &method->runs[r];
    struct points_run *runs = realloc(method->runs, (method->run_count + 1) * sizeof *runs);
    if (!runs)
        return NULL;
    method->runs = runs;
    runs[method->run_count] = (struct points_run){.name = name};
    return &runs[method->run_count++];
}

bool points_add(struct points_run *run, double real, double reported, double amount)
{
    double **const columns[] = {&run->real, &run->reported, &run->amount};
    const double values[] = {real, reported, amount};
    size_t capacity = run->n < run->capacity ? run->capacity : 2 * run->capacity + 1;
    for (size_t i = 0; capacity > run->capacity && i < 3; i++) {
        double *grown = realloc(*columns[i], capacity * sizeof *grown);
        if (!grown)
            return false;
        *columns[i] = grown;
    }
    run->capacity = capacity;
    for (size_t i = 0; i < 3; i++)
        (*columns[i])[run->n] = values[i];
    run->n++;
    return true;
}

/* 1, 0, or -1 for another word. */
static int points_parse_valid(const char *word)
{
    static const char *const words[] = {"no", "yes", "false", "true", "invalid", "valid", "0", "1"};
    if (strcmp(word, "ok") == 0 || strncmp(word, "invalid:", 8) == 0) /* the guard of assay inject */
        return *word == 'o';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(word, words[i]) == 0)
            return (int)(i % 2);
    return -1;
}

static int points_add_group(const struct groups *groups, size_t g, const struct points_columns *columns,
                            struct points *points, struct error_text *message)
{
    char *const *texts = groups->texts[g];
    const struct series *real = groups_series(groups, g, POINTS_REAL);
    const struct series *reported = groups_series(groups, g, POINTS_REPORTED);
    bool has_amount = groups->columns.value_count > POINTS_AMOUNT;
    size_t valid_column = columns->method + 1 + columns->has_run;
    struct points_method *method = points_method_of(points, texts, columns->method + 1);
    int valid = columns->has_valid ? points_parse_valid(texts[valid_column]) : 1;
    if (!method)
        return error_set(message, STATUS_BAD, "out of memory");
    if (valid < 0)
        return error_set(message, STATUS_BAD,
                         "column '%s' holds '%s'; write yes or no (true, false, valid, invalid, 1, 0)",
                         groups->columns.groups[valid_column], texts[valid_column]);
    if (valid == 0) {
        method->invalid += real->n;
        return STATUS_GOOD;
    }
    struct points_run *run = points_run_of(method, columns->has_run ? texts[columns->method + 1] : "");
    bool good = run != NULL;
    for (size_t i = 0; good && i < real->n; i++) {
        double x = series_double(real, i), y = series_double(reported, i);
        if (columns->share && !(y >= 0 && y <= 1))
            return error_set(message, STATUS_BAD,
                             "column '%s' holds %g, which is not a share from 0 to 1 (divide percent by 100; a time "
                             "goes with --reported)",
                             groups->columns.values[POINTS_REPORTED], y);
        double amount = has_amount ? series_double(groups_series(groups, g, POINTS_AMOUNT), i) : 0;
        good = points_add(run, x, columns->share ? y * x : y, amount);
    }
    return good ? STATUS_GOOD : error_set(message, STATUS_BAD, "out of memory");
}

int points_make(const struct groups *groups, const struct points_columns *columns, struct points *points,
                struct error_text *message)
{
    int status = STATUS_GOOD;
    *points = (struct points){0};
    for (size_t g = 0; !status && g < groups->count; g++)
        status = points_add_group(groups, g, columns, points, message);
    return status;
}
