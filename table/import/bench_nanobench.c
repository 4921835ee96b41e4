/*
 * The output of nanobench: its JSON template ({"results": [{"title", "name", "batch", "measurements": [{"iterations",
 * "elapsed", …}]}]}, where elapsed is the time of one iteration in seconds), and the Markdown tables that it prints,
 * which hold one median per benchmark in the unit of the column's name ("ns/op").
 */
#include "table/import/bench_rows.h"

#include <stdlib.h>
#include <string.h>

static const char *const own[] = {"name", "title", "run", "iterations", "elapsed", "unit", NULL};

/* Counters that were not measured are 0 in all rows; they still are columns. */
static const char *const counters[] = {"instructions",       "cpucycles",    "contextswitches",
                                       "branchinstructions", "branchmisses", "pagefaults"};

static void nanobench_add_epoch(struct bench *bench, const json_t *result, const json_t *epoch)
{
    bench_row(bench);
    bench_json(bench, "name", json_object_get(result, "name"));
    bench_json(bench, "title", json_object_get(result, "title"));
    bench_json(bench, "iterations", json_object_get(epoch, "iterations"));
    bench_json(bench, "elapsed", json_object_get(epoch, "elapsed"));
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        bench_json(bench, counters[i], json_object_get(epoch, counters[i]));
}

void bench_read_nanobench(struct bench *bench, const json_t *root)
{
    const json_t *results = json_object_get(root, "results");
    bench->own = own;
    bench->meaning.value = "elapsed";
    bench->meaning.unit = "s";
    bench_column(bench, "name");
    bench_column(bench, "title");
    bench->label_end = 2;
    bench_column(bench, "run");
    for (size_t i = 0; !bench->status && i < json_array_size(results); i++) {
        bench_set_location(bench, "result %zu", i + 1);
        const json_t *result = json_array_get(results, i);
        const json_t *epochs = json_object_get(result, "measurements"),
                     *median = json_object_get(result, "median(elapsed)");
        const char *name = json_string_value(json_object_get(result, "name"));
        size_t mark = bench_mark(bench);
        if (!name) {
            bench_fail(bench, "no 'name'");
        } else {
            bench_subject(bench, name);
            for (size_t k = 0; !bench->status && k < json_array_size(epochs); k++) {
                const json_t *epoch = json_array_get(epochs, k);
                if (!bench_measured(bench, "elapsed", k, json_object_get(epoch, "elapsed")))
                    continue;
                nanobench_add_epoch(bench, result, epoch);
                bench_count(bench, "run", k + 1);
            }
            if (!json_is_array(epochs) && bench_measured(bench, "median(elapsed)", 0, median)) {
                nanobench_add_epoch(bench, result, NULL);
                bench_json(bench, "elapsed", median);
                bench_count(bench, "run", 1);
                bench->meaning.remark =
                    "holds one median per benchmark, not its epochs, which nanobench's JSON template writes";
            }
            bench_demand(bench, mark);
        }
    }
    bench_group_labels(bench);
}

/* --- Markdown --- */

/* The current table: the position of its value, its unit, and the name of the last column. */
struct markdown {
    size_t columns, value;
    char unit[64], title[256];
};

static void nanobench_add_row(struct bench *bench, const struct bench_cells *cells, const struct markdown *table)
{
    char text[512], number[64];
    bench_cell(cells, table->value, text, 48);
    /* "44,720.00" without its commas. */
    const char *cell = text;
    char *end, *to = number;
    for (; *cell; cell++)
        if (*cell != ',')
            *to++ = *cell;
    *to = '\0';
    strtod(number, &end);
    if (end == number || *end) {
        bench_leave_out(bench, "gave no finite number");
        return;
    }
    bench_cell(cells, cells->count - 1, text, sizeof text);
    /* The text between backquotes, without ":wavy_dash:" and what follows. */
    char *open = strchr(text, '`'), *close = open ? strrchr(text, '`') : NULL;
    if (open && close > open) {
        char *next = strchr(open + 1, '`');
        memmove(text, open + 1, (size_t)(next - open - 1));
        text[next - open - 1] = '\0';
    }
    bench_row(bench);
    bench_text(bench, "name", text);
    bench_text(bench, "title", table->title);
    bench_count(bench, "run", bench_repeated(bench, text));
    bench_text(bench, "elapsed", number);
    bench_text(bench, "unit", table->unit);
}

static void nanobench_read_line(struct bench *bench, const struct bench_cells *cells, void *own_state)
{
    struct markdown *table = own_state;
    char first[8], text[64];
    bool header = false;
    bench_cell(cells, 1, first, sizeof first);
    for (size_t i = 0; i < cells->count; i++)
        header |= strcmp(bench_cell(cells, i, text, sizeof text), "err%") == 0;
    if (cells->count < 3 || cells->cell[0].length > 0)
        table->columns = 0; /* not a line of a table */
    else if (header) {
        /* The first column of a time per something: after "relative" and "complexityN". */
        static const char *const times[] = {"ps/", "ns/", "us/", "\u00b5s/", "ms/", "s/"};
        *table = (struct markdown){.columns = cells->count};
        bench_cell(cells, cells->count - 1, table->title, sizeof table->title);
        for (size_t i = 0; i < cells->count && !table->value; i++) {
            bench_cell(cells, i, table->unit, sizeof table->unit);
            for (size_t t = 0; t < sizeof times / sizeof *times; t++)
                if (strncmp(table->unit, times[t], strlen(times[t])) == 0)
                    table->value = i;
        }
        if (!table->value)
            bench_fail(bench, "line %zu: no column of times by unit, such as ns/op", cells->line);
    } else if (table->columns && cells->count >= table->columns && strncmp(first, "--", 2) != 0)
        nanobench_add_row(bench, cells, table);
}

void bench_read_nanobench_markdown(struct bench *bench, const char *text, size_t length)
{
    struct markdown table = {0};
    bench->own = own;
    bench->meaning.value = "elapsed";
    bench->meaning.remark =
        "holds one rounded median per benchmark, not its epochs, which nanobench's JSON template writes";
    bench_column(bench, "name");
    bench_column(bench, "title");
    bench->label_end = 2;
    bench_cut(bench, text, length, '|', nanobench_read_line, &table);
    bench_group_labels(bench);
    bench_group_unit(bench);
}

bool bench_is_nanobench_markdown(const char *text, size_t length)
{
    const char *found = text, *end = text + length;
    while ((found = memmem(found, (size_t)(end - found), "|    err% |", strlen("|    err% |")))) {
        const char *line = found;
        while (line > text && line[-1] != '\n')
            line--;
        if (*line == '|')
            return true;
        found++;
    }
    return false;
}
