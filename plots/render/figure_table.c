#include "plots/render/figure.h"

static bool figure_copy_row(struct sheet *sheet, const struct table *table, size_t row)
{
    char digits[32];
    size_t to = sheet_add_row(sheet);
    for (size_t c = 0; to != SHEET_NONE && c < sheet->column_count; c++) {
        const char *text = table_plain(table, row, c, digits);
        if (text && *text && !sheet_set(sheet, to, c, text))
            return false;
    }
    return to != SHEET_NONE;
}

/* The table as the sheet that would be read from its CSV; NULL without memory. */
static struct sheet *figure_table_to_sheet(const struct table *table)
{
    struct sheet *sheet = sheet_new();
    bool good = sheet && !table_failed(table);
    for (size_t c = 0; good && c < table_column_count(table); c++)
        good = sheet_add_column(sheet, table_column_name(table, c)) != SHEET_NONE;
    for (size_t row = 0; good && row < table_row_count(table); row++)
        good = figure_copy_row(sheet, table, row);
    if (good)
        return sheet;
    sheet_free(sheet);
    return NULL;
}

int figure_draw(const char *figure, const struct table *table, const char *path, const struct figure_options *options,
                struct error_text *message)
{
    struct sheet *sheet = figure_table_to_sheet(table);
    int status = sheet ? figure_draw_sheet(figure, sheet, path, options, message)
                       : error_set(message, STATUS_BAD, "out of memory");
    sheet_free(sheet);
    return status;
}
