/*
 * The table that hyperfine's --export-markdown writes: | Command | Mean [ms] | Min [ms] | Max [ms] | Relative |, with
 * commands in backquotes and means as "1.2 ± 0.1". It holds one mean per command.
 */
#include "table/import/bench_rows.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS = 16, CELL_BYTES = 512 };

static const char *const own[] = {"name", "run", "time", "unit", NULL};

/* The cells between bars, without blanks and backquotes; an escaped bar belongs to its cell. Their number. */
static size_t hyperfine_split_cells(const struct rows_cell *line, char cells[CELLS][CELL_BYTES])
{
    size_t count = 0, length = 0;
    bool inside = false;
    for (size_t i = 0; i < line->length && count < CELLS; i++) {
        char c = line->text[i];
        bool escaped = c == '\\' && i + 1 < line->length && line->text[i + 1] == '|';
        if (c == '|' && inside) {
            while (length > 0 && strchr(" `", cells[count][length - 1]))
                length--;
            cells[count++][length] = '\0';
        }
        if (c == '|') {
            inside = true;
            length = 0;
        } else if (inside && !escaped && length + 1 < CELL_BYTES && (length > 0 || (c != ' ' && c != '`'))) {
            cells[count][length++] = c;
        }
        if (escaped && inside && length + 1 < CELL_BYTES) {
            cells[count][length++] = '|';
            i++;
        }
    }
    return count;
}

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
        size_t count = hyperfine_split_cells(&line, cells);
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

bool bench_is_hyperfine_markdown(const char *text, size_t length)
{
    return bench_begins(text, length, "| Command | Mean [", "Relative");
}
