/*
 * benchstat -format csv: configuration lines, then for each unit a line with the files' names above every other column,
 * a line "sec/op,CI,sec/op,CI,vs base,P", and a line per benchmark. Its values are medians of runs.
 */
#include "table/import/bench_rows.h"

#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 32 };

static const char *const own[] = {"name", "file", "value", "unit", NULL};

struct table {
    char files[FILES_MAX][200], units[FILES_MAX][40];
    size_t count;
};

static void benchstat_read_line(struct bench *bench, const struct bench_cells *cells, void *user)
{
    struct table *table = user;
    char first[40], second[40];
    bool heading = cells->count > 2 && !*bench_cell(cells, 0, first, sizeof first);
    bool units = heading && strcmp(bench_cell(cells, 2, second, sizeof second), "CI") == 0;
    if (!heading) {
        char name[300], value[64];
        if (strcmp(bench_cell(cells, 0, name, sizeof name), "geomean") != 0) {
            for (size_t i = 0; i < table->count && 1 + 2 * i < cells->count; i++) {
                if (!*table->units[i] || !bench_is_number(bench_cell(cells, 1 + 2 * i, value, sizeof value)))
                    continue;
                bench_row(bench);
                bench_text(bench, "name", name);
                bench_text(bench, "file", table->files[i]);
                bench_text(bench, "value", value);
                bench_text(bench, "unit", table->units[i]);
            }
        }
        return;
    }
    size_t count = cells->count / 2 < FILES_MAX ? cells->count / 2 : FILES_MAX;
    for (size_t i = 0; i < count; i++) {
        char text[200];
        bench_cell(cells, 1 + 2 * i, text, sizeof text);
        if (!units)
            snprintf(table->files[i], sizeof table->files[i], "%s", text);
        else
            snprintf(table->units[i], sizeof table->units[i], "%.39s", strcmp(text, "vs base") == 0 ? "" : text);
    }
    table->count = count;
}

void bench_read_benchstat(struct bench *bench, const char *text, size_t length)
{
    struct table table = {.count = 0};
    bench->own = own;
    bench->meaning.value = "value";
    bench->meaning.remark = "holds medians of runs, which the input of benchstat has";
    bench_label_columns(bench, NULL, NULL);
    bench_cut(bench, text, length, ',', benchstat_read_line, &table);
    bench_group_labels(bench);
    bench_group_varying(bench, "file");
    bench_group_unit(bench);
}

bool bench_is_benchstat(const char *text, size_t length)
{
    struct rows_cell line;
    size_t looked = 0;
    for (const char *end = text + length; looked < 20 && rows_line(&text, end, &line); looked++)
        if (line.length > 6 && *line.text == ',' && memmem(line.text, line.length, ",CI", 3) &&
            (memmem(line.text, line.length, "/op,CI", 6) || memmem(line.text, line.length, "/s,CI", 5)))
            return true;
    return false;
}
