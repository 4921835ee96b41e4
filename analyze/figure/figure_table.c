#include "analyze/figure/figure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The table as a sheet, by way of the CSV that a user would have saved. */
static int sheet_of(const struct table *table, struct sheet **sheet, struct complaint *complaint)
{
    FILE *csv = tmpfile();
    int failure = csv ? table_write(csv, TABLE_CSV, table, &(struct table_frame){0}) : errno;
    int status = STATUS_BAD;
    if (failure) {
        complain(complaint, status, "%s", strerror(failure));
    } else {
        rewind(csv);
        status = sheet_read(csv, sheet, complaint);
    }
    if (csv)
        fclose(csv);
    return status;
}

int figure_draw(const char *figure, const struct table *table, const char *path, const struct figure_options *options,
                char *message, size_t size)
{
    struct complaint complaint = {""};
    struct sheet *sheet;
    int status = sheet_of(table, &sheet, &complaint);
    if (!status) {
        status = figure_draw_sheet(figure, sheet, path, options, &complaint);
        sheet_free(sheet);
    }
    snprintf(message, size, "%s", complaint.text);
    return status;
}
