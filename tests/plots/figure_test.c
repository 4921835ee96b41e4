/* A program's table as a figure: --plot FILE calls figure_draw(). */
#include "plots/render/figure.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

static const char path[] = "figure_test.svg";

static struct table *make_table(size_t rows)
{
    static const struct table_column columns[] = {
        {"method", TABLE_TEXT}, {"share", TABLE_SHARE}, {"lo", TABLE_SHARE}, {"hi", TABLE_SHARE}};
    struct table *table = table_new(columns, 4);
    for (size_t i = 0; table && i < rows; i++) {
        char name[32];
        snprintf(name, sizeof name, "a.\"B\",c.m%zu()", i);
        table_text(table, name);
        table_real(table, 1.0 / (double)(i + 2));
        table_blank(table);
        table_blank(table);
    }
    return table;
}

static void check(const char *figure, size_t rows, const char *file, int status, const char *expected)
{
    struct error_text message = {"untouched"};
    struct table *table = make_table(rows);
    unlink(path);
    int got = figure_draw(figure, table, file, NULL, &message);
    ok(got == status, "%s of %zu rows into %s: status %d (%d)", figure, rows, file, status, got);
    is_text(message.text, expected, *expected ? "  the message says why" : "  without a message");
    ok((access(path, F_OK) == 0) == (status == 0), "  %s",
       status == 0 ? "the figure is written" : "no figure is written");
    unlink(path);
    table_free(table);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The message about an unknown figure: it lists all figures of plots/ except the styles, in bytewise order. */
static const char *no_figure(const char *name)
{
    static char text[1024];
    glob_t found;
    int length = snprintf(text, sizeof text, "no figure '%s'; there are:", name);
    if (glob("plots/*.gp", 0, NULL, &found) != 0)
        return "plots/*.gp";
    for (size_t i = 0; i < found.gl_pathc; i++)
        *strrchr(found.gl_pathv[i], '.') = '\0';
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, by_name);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *figure = found.gl_pathv[i] + strlen("plots/");
        if (strncmp(figure, "style", 5) != 0)
            length += snprintf(text + length, sizeof text - (size_t)length, " %s,", figure);
    }
    text[length - 1] = '\0';
    globfree(&found);
    return text;
}

/* All bytes of a file; to free(). */
static char *content(const char *file)
{
    char *text = NULL;
    size_t size = 0;
    FILE *in = fopen(file, "r");
    if (in && getdelim(&text, &size, EOF, in) < 0)
        *text = '\0';
    if (in)
        fclose(in);
    return text;
}

/* A program's figure, whose numbers come from its table as they are, is the figure of the table's CSV. */
static void test_same_as_csv(void)
{
    static const struct table_column columns[] = {{"method", TABLE_TEXT},
                                                  {"thread", TABLE_COUNT},
                                                  {"share", TABLE_SHARE},
                                                  {"lo", TABLE_REAL},
                                                  {"hi", TABLE_REAL}};
    static const double numbers[][3] = {
        {1.0 / 3, 0.1 + 0.2, INFINITY}, {2.0 / 7, NAN, 5e-324}, {0, -0.0, 0.7000000000000001}, {1, 0.25, 1}};
    struct error_text message = {""};
    struct table *table = table_new(TABLE_COLUMNS(columns));
    char *text = NULL, *direct, *read;
    size_t size;
    for (size_t i = 0; i < 4; i++) {
        table_text(table, i % 2 ? "a.b()" : "c.d()");
        table_count(table, i / 2 ? UINT64_MAX : 7);
        table_reals(table, numbers[i], 3);
    }
    FILE *out = open_memstream(&text, &size);
    table_write(out, TABLE_CSV, table, &(struct table_frame){0});
    fclose(out);
    struct csv *csv = NULL;
    FILE *in = fmemopen(text, size, "r");
    is_u64((uint64_t)csv_read(in, &csv, &message), 0, "a table's CSV is read back");
    fclose(in);
    is_u64((uint64_t)figure_draw("hot", table, path, NULL, &message), 0, "  the table is drawn");
    direct = content(path);
    is_u64((uint64_t)figure_draw_csv("hot", csv, path, NULL, &message), 0, "  so is the CSV");
    read = content(path);
    ok(direct && read && strcmp(direct, read) == 0 && strstr(direct, "18446744073709551615"),
       "  both figures are the same, and name the threads");
    unlink(path);
    free(text);
    free(direct);
    free(read);
    csv_free(csv);
    table_free(table);
}

int main(void)
{
    struct error_text message = {""};
    check("hot", 3, path, 0, "");
    check("hot", 20, path, 0, ""); /* the other 8 are one bar */
    check("hot", 0, path, 1, "has a header but no rows");
    check("acf", 3, path, 1, "lacks the columns lag, r; it has: method, share, lo, hi");
    check("nope", 3, path, 2, no_figure("nope"));
    check("hot", 3, "figure_test.gif", 2, "figure_test.gif: the suffix must be .pdf, .svg, .png, .tex or .gp");
    is_u64((uint64_t)figure_check("hot", "a.pdf", NULL, &message), 0, "figure_check() accepts a figure and a file");
    is_text(message.text, "", "  without a message");
    is_u64((uint64_t)figure_check("hot", "a.txt", NULL, &message), 2, "figure_check() refuses an unknown suffix");
    is_text(message.text, "a.txt: the suffix must be .pdf, .svg, .png, .tex or .gp",
            "  the message says which suffixes there are");
    test_same_as_csv();
    return done_testing();
}
