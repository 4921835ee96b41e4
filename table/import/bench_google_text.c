/*
 * Google Benchmark's other outputs: --benchmark_format=csv, a line per repetition and aggregate, below a header that
 * begins "name,iterations,real_time"; and what it prints, a table of names, times with their units, and iterations.
 */
#include "table/import/bench_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const own[] = {"name", "run", "iterations", "real_time", "cpu_time", "unit", NULL};

enum { COLUMNS_MAX = 64, NAME_MAX_LENGTH = 300 };

struct table {
    char columns[COLUMNS_MAX][80];
    size_t count;
    char last[NAME_MAX_LENGTH]; /* the last benchmark's name: aggregates are named after it */
};

/* "BM_x_mean" after "BM_x". */
static bool google_text_is_aggregate(const char *name, const char *base)
{
    static const char *const suffixes[] = {"_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS", "_min", "_max"};
    size_t length = strlen(base);
    for (size_t i = 0; length > 0 && strncmp(name, base, length) == 0 && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(name + length, suffixes[i]) == 0)
            return true;
    return false;
}

static void google_text_init(struct bench *bench)
{
    bench->own = own;
    bench->meaning.value = "real_time";
    bench->meaning.also = "cpu_time";
    bench_label_columns(bench, NULL, NULL);
    for (size_t i = 1; own[i]; i++)
        bench_column(bench, own[i]);
}

/* ---------------------------------------------------------------------------- CSV -- */

static void google_text_read_csv_line(struct bench *bench, const struct bench_cells *cells, void *user)
{
    struct table *table = user;
    char name[NAME_MAX_LENGTH], text[512];
    if (table->count == 0) {
        table->count = cells->count < COLUMNS_MAX ? cells->count : COLUMNS_MAX;
        for (size_t i = 0; i < table->count; i++)
            bench_cell(cells, i, table->columns[i], sizeof table->columns[i]);
        return;
    }
    bench_cell(cells, 0, name, sizeof name);
    if (google_text_is_aggregate(name, table->last))
        return;
    snprintf(table->last, sizeof table->last, "%s", name);
    bench_subject(bench, name);
    if (!bench_is_number(bench_cell(cells, 2, text, sizeof text))) {
        bench_leave_out(bench, "failed (%.100s)", bench_cell(cells, table->count - 1, text, sizeof text));
        return;
    }
    bench_row(bench);
    bench_text(bench, "name", name);
    bench_count(bench, "run", bench_repeated(bench, name));
    for (size_t i = 0; i < table->count; i++) {
        const char *column = table->columns[i];
        bench_cell(cells, i, text, sizeof text);
        if (strcmp(column, "iterations") == 0 || strcmp(column, "real_time") == 0 || strcmp(column, "cpu_time") == 0)
            bench_text(bench, column, text);
        else if (strcmp(column, "time_unit") == 0)
            bench_text(bench, "unit", text);
        else if (strcmp(column, "name") != 0 && strncmp(column, "error_", 6) != 0)
            bench_text(bench, bench_metric(bench, column), text);
    }
}

void bench_read_google_csv(struct bench *bench, const char *text, size_t length)
{
    struct table table = {.count = 0};
    google_text_init(bench);
    bench_cut(bench, text, length, ',', google_text_read_csv_line, &table);
    bench_group_labels(bench);
    bench_group_unit(bench);
}

/* ---------------------------------------------------------------------------- what it prints -- */

/* "items_per_second=1.2M/s" behind the iterations. */
static void google_text_set_counters(struct bench *bench, char *rest)
{
    static const struct {
        char suffix;
        double factor;
    } suffixes[] = {{'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'m', 1e-3}, {'u', 1e-6}, {'n', 1e-9}};
    for (char *word, *state; (word = strtok_r(rest, " \t\r\n", &state)); rest = NULL) {
        char value[40], *equals = strchr(word, '='), *end;
        if (!equals)
            continue;
        *equals = '\0';
        double number = strtod(equals + 1, &end);
        if (end == equals + 1)
            continue;
        for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
            if (*end == suffixes[i].suffix) {
                number *= suffixes[i].factor;
                end++;
                break;
            }
        if (*end && strcmp(end, "/s") != 0)
            continue;
        snprintf(value, sizeof value, "%.17g", number);
        bench_text(bench, bench_metric(bench, word), value);
    }
}

/* "NAME   123 ns   122 ns   5700000"; the name may have blanks. Returns the number of bytes up to the times. */
static bool google_text_parse_times(const char *line, size_t *name_length, char *times[5], char *copy)
{
    size_t count = 0;
    char *state;
    for (const char *at = line; (at = strpbrk(at, " \t")); at += strspn(at, " \t")) {
        snprintf(copy, NAME_MAX_LENGTH, "%s", at);
        for (count = 0; count < 5 && (times[count] = strtok_r(count ? NULL : copy, " \t\r\n", &state)); count++)
            ;
        if (count == 5 && bench_is_number(times[0]) && isalpha((unsigned char)*times[1]) && bench_is_number(times[2]) &&
            strcmp(times[1], times[3]) == 0 && bench_is_number(times[4])) {
            *name_length = (size_t)(at - line);
            return true;
        }
    }
    return false;
}

void bench_read_google_console(struct bench *bench, const char *text, size_t length)
{
    struct table table = {.count = 0};
    struct rows_cell line;
    char copy[2048];
    google_text_init(bench);
    for (const char *end = text + length; !bench->status && rows_line(&text, end, &line);) {
        snprintf(copy, sizeof copy, "%.*s", (int)line.length, line.text);
        static const char error[] = " ERROR OCCURRED: ";
        char name[NAME_MAX_LENGTH], printed[NAME_MAX_LENGTH], *times[5];
        size_t printed_length;
        const char *failed = strstr(copy, error);
        if (failed) {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(copy, " "), copy);
            bench_subject(bench, name);
            bench_leave_out(bench, "failed (%.100s)", failed + sizeof error - 1);
            continue;
        }
        if (!google_text_parse_times(copy, &printed_length, times, printed))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)printed_length, copy);
        if (google_text_is_aggregate(name, table.last))
            continue;
        snprintf(table.last, sizeof table.last, "%s", name);
        bench_row(bench);
        bench_text(bench, "name", name);
        bench_count(bench, "run", bench_repeated(bench, name));
        bench_text(bench, "real_time", times[0]);
        bench_text(bench, "unit", times[1]);
        bench_text(bench, "cpu_time", times[2]);
        bench_text(bench, "iterations", times[4]);
        char *rest = strdup(copy + printed_length);
        if (rest)
            google_text_set_counters(bench, rest);
        free(rest);
    }
    bench_group_labels(bench);
    bench_group_unit(bench);
}

/* The line "Benchmark   Time   CPU   Iterations" between two of dashes. */
bool bench_is_google_console(const char *text, size_t length)
{
    struct rows_cell line;
    char words[4][16];
    bool dashes = false;
    size_t looked = 0;
    for (const char *end = text + length; looked < 200 && rows_line(&text, end, &line); looked++) {
        char copy[256];
        snprintf(copy, sizeof copy, "%.*s", (int)line.length, line.text);
        if (dashes && sscanf(copy, "%15s %15s %15s %15s", words[0], words[1], words[2], words[3]) == 4 &&
            strcmp(words[0], "Benchmark") == 0 && strcmp(words[1], "Time") == 0 && strcmp(words[2], "CPU") == 0 &&
            strcmp(words[3], "Iterations") == 0)
            return true;
        dashes = line.length > 10 && strspn(copy, "-") + (copy[strspn(copy, "-")] == '\r') == strlen(copy);
    }
    return false;
}
