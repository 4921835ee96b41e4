/*
 * What the Phoronix Test Suite exports. result-file-to-csv: a title, two tables with the same heading of systems, the
 * first about their parts, the second with a line "Title - options (unit)",HIB,VALUE,… per test; older versions lack
 * the column of the direction (HIB, LIB: higher, lower is better). result-file-raw-to-csv: for each test its title, a
 * line that shows the direction, and a line "system",RUN,RUN,… per system, without units.
 */
#include "table/import/bench_rows.h"

#include <stdlib.h>
#include <string.h>

enum { SYSTEMS_MAX = 64, NAME_BYTES = 400 };

static const char *const own[] = {"name", "better", "system", "value", "unit", "run", NULL};

static const char MORE[] = "Higher Results Are Better", LESS[] = "Lower Results Are Better";

struct reading {
    char systems[SYSTEMS_MAX][100];
    size_t system_count, first; /* the column of the first system */
    size_t headings;
    char name[NAME_BYTES], better[8];
};

static void phoronix_add_value(struct bench *bench, const char *system, const char *value,
                               const struct reading *reading)
{
    bench_row(bench);
    bench_text(bench, "name", reading->name);
    bench_text(bench, "better", reading->better);
    bench_text(bench, "system", system);
    bench_text(bench, "value", value);
}

/* ---------------------------------------------------------------------------- a value per test and system -- */

static void phoronix_read_summary(struct bench *bench, const struct bench_cells *cells, void *user)
{
    struct reading *reading = user;
    char text[NAME_BYTES];
    bool blank = !*bench_cell(cells, 0, text, sizeof text);
    if (blank && cells->count > 1 && reading->headings < 2 && cells->line > 1) {
        /* A blank cell, and systems from the second or third column on. */
        char heading[100];
        reading->headings++;
        reading->first = *bench_cell(cells, 1, heading, sizeof heading) ? 1 : 2;
        reading->system_count = cells->count > reading->first ? cells->count - reading->first : 0;
        if (reading->system_count > SYSTEMS_MAX)
            bench_fail(bench, "has more than %d systems", SYSTEMS_MAX);
        for (size_t i = 0; i < reading->system_count && !bench->status; i++)
            bench_cell(cells, reading->first + i, reading->systems[i], sizeof reading->systems[i]);
    } else if (!blank && reading->headings == 2) {
        char test_text[100], value[64];
        bench_cell(cells, 0, reading->name, sizeof reading->name);
        /* "Title - options (unit)": the name loses the unit. */
        size_t length = strlen(reading->name);
        char *open = strrchr(reading->name, '(');
        const char *unit = "";
        if (open && open != reading->name && open[-1] == ' ' && reading->name[length - 1] == ')') {
            reading->name[length - 1] = open[-1] = '\0';
            unit = open + 1;
        }
        const char *direction = reading->first == 2 ? bench_cell(cells, 1, test_text, sizeof test_text) : "";
        snprintf(reading->better, sizeof reading->better, "%s",
                 strcmp(direction, "HIB") == 0   ? "higher"
                 : strcmp(direction, "LIB") == 0 ? "lower"
                                                 : "");
        bench_subject(bench, reading->name);
        for (size_t i = 0; i < reading->system_count && !bench->status; i++) {
            if (!bench_is_number(bench_cell(cells, reading->first + i, value, sizeof value))) {
                bench_leave_out(bench, *value ? "had no number as its result" : "had no result");
                continue;
            }
            phoronix_add_value(bench, reading->systems[i], value, reading);
            bench_text(bench, "unit", unit);
        }
    }
}

static void phoronix_init(struct bench *bench)
{
    bench->own = own;
    bench->meaning.value = "value";
    bench_column(bench, "name");
    bench_column(bench, "better");
    bench->label_end = bench->csv->column_count;
}

static void phoronix_group(struct bench *bench)
{
    bench_group_labels(bench);
    bench_group_varying(bench, "system");
    bench_group_unit(bench);
}

void bench_read_phoronix(struct bench *bench, const char *text, size_t length)
{
    struct reading reading = {.system_count = 0};
    phoronix_init(bench);
    bench->meaning.remark = "holds one mean per test and system; result-file-raw-to-csv exports the runs";
    bench_cut(bench, text, length, ',', phoronix_read_summary, &reading);
    phoronix_group(bench);
}

/* Two equal lines that begin with a blank cell, and after the first a line of the systems' parts. */
bool bench_is_phoronix(const char *text, size_t length)
{
    enum { LINES_MAX = 100 };
    struct rows_cell line, heading = {.length = 0};
    const char *end = text + length;
    for (size_t i = 0; i < LINES_MAX && rows_line(&text, end, &line); i++) {
        bool opens = line.length > 3 && memcmp(line.text, " ,", 2) == 0;
        if (opens && heading.length == line.length && memcmp(heading.text, line.text, line.length) == 0)
            return true;
        if (opens)
            heading = line;
    }
    return false;
}

/* ---------------------------------------------------------------------------- all runs -- */

static bool phoronix_is_direction(const char *text)
{
    return strcmp(text, MORE) == 0 || strcmp(text, LESS) == 0;
}

static void phoronix_read_raw(struct bench *bench, const struct bench_cells *cells, void *user)
{
    struct reading *reading = user;
    char first[NAME_BYTES], value[64];
    bench_cell(cells, 0, first, sizeof first);
    if (phoronix_is_direction(first)) {
        snprintf(reading->better, sizeof reading->better, "%s", strcmp(first, MORE) == 0 ? "higher" : "lower");
    } else if (cells->count < 2 || !*bench_cell(cells, 1, value, sizeof value)) {
        snprintf(reading->name, sizeof reading->name, "%s", first);
        *reading->better = '\0';
        bench_subject(bench, reading->name);
    } else {
        for (size_t i = 1; i < cells->count && !bench->status; i++) {
            if (!bench_is_number(bench_cell(cells, i, value, sizeof value))) {
                bench_leave_out(bench, *value ? "had no number as its result" : "had no result");
                continue;
            }
            phoronix_add_value(bench, first, value, reading);
            bench_count(bench, "run", i);
        }
    }
}

void bench_read_phoronix_raw(struct bench *bench, const char *text, size_t length)
{
    struct reading reading = {.system_count = 0};
    phoronix_init(bench);
    bench->meaning.remark = "does not say the unit";
    bench_cut(bench, text, length, ',', phoronix_read_raw, &reading);
    phoronix_group(bench);
}

bool bench_is_phoronix_raw(const char *text, size_t length)
{
    enum { LINES_MAX = 100 };
    struct rows_cell line;
    char copy[64];
    const char *end = text + length;
    for (size_t i = 0; i < LINES_MAX && rows_line(&text, end, &line); i++) {
        snprintf(copy, sizeof copy, "%.*s", (int)(line.length < sizeof copy ? line.length : 0), line.text);
        if (phoronix_is_direction(copy))
            return true;
    }
    return false;
}
