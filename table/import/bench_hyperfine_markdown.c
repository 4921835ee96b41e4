/*
 * The table that hyperfine's --export-markdown writes: | Command | Mean [ms] | Min [ms] | Max [ms] | Relative |, with
 * commands in backquotes and means as "1.2 ± 0.1". It holds one mean per command.
 */
#include "table/import/bench_rows.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS = 16, CELL_BYTES = 512 };

static const char *const own[] = {"name", "run", "time", "unit", NULL};

/* "ms" of "Mean [ms]"; false for another cell. */
static bool hyperfine_parse_unit(const char *cell, char *unit, size_t size)
{
    static const char start[] = "Mean [";
    if (strncmp(cell, start, sizeof start - 1) != 0 || !strchr(cell, ']'))
        return false;
    snprintf(unit, size, "%.*s", (int)strcspn(cell + sizeof start - 1, "]"), cell + sizeof start - 1);
    return true;
}

void bench_read_hyperfine_markdown(struct bench *bench, const char *text, size_t length)
{
    struct rows_cell line;
    char cells[CELLS][CELL_BYTES], unit[16] = "", *end;
    bench->own = own;
    bench->meaning.value = "time";
    bench->meaning.remark = "holds means of runs, which --export-json keeps";
    bench_label_columns(bench, NULL, NULL);
    for (const char *stop = text + length; !bench->status && rows_line(&text, stop, &line);) {
        /* The cells between bars, without blanks and backquotes; an escaped bar belongs to its cell. */
        size_t count = 0, cell_length = 0;
        bool inside = false;
        for (size_t i = 0; i < line.length && count < CELLS; i++) {
            char c = line.text[i];
            bool escaped = c == '\\' && i + 1 < line.length && line.text[i + 1] == '|';
            if (c == '|' && inside) {
                while (cell_length > 0 && strchr(" `", cells[count][cell_length - 1]))
                    cell_length--;
                cells[count++][cell_length] = '\0';
            }
            if (c == '|') {
                inside = true;
                cell_length = 0;
            } else if (inside && !escaped && cell_length + 1 < CELL_BYTES &&
                       (cell_length > 0 || (c != ' ' && c != '`'))) {
                cells[count][cell_length++] = c;
            }
            if (escaped && inside && cell_length + 1 < CELL_BYTES) {
                cells[count][cell_length++] = '|';
                i++;
            }
        }
        if (count < 2 || strncmp(cells[0], ":--", 3) == 0 || hyperfine_parse_unit(cells[1], unit, sizeof unit))
            continue;
        double mean = strtod(cells[1], &end);
        if (end == cells[1])
            continue;
        bench_row(bench);
        bench_text(bench, "name", cells[0]);
        bench_count(bench, "run", bench_repeated(bench, cells[0]));
        bench_real(bench, "time", mean);
        bench_text(bench, "unit", unit);
    }
    bench_group_labels(bench);
    bench_group_unit(bench);
}
