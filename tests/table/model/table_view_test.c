/* Views of tables: the expected texts were written by hand. */
#include <stdlib.h>

#include "base/text.h"
#include "table/model/table_view.h"
#include "tests/tap.h"

static const struct table_column all[] = {{"method", TABLE_TEXT},  {"mean", TABLE_REAL}, {"p", TABLE_REAL},
                                          {"log10_p", TABLE_REAL}, {"n", TABLE_COUNT},   {"share", TABLE_SHARE},
                                          {"size", TABLE_BYTES}};
static const struct table_column readers[] = {{"method", TABLE_TEXT}, {"mean", TABLE_ESTIMATE}};

static struct table *measured(void)
{
    static const char *const methods[] = {"org.a.B.run10(int)", "org.a.B.run2(int)", "org.a.C.run2(long)", "x"};
    static const double means[] = {12.3456, 0.00098765, NAN, 12.3456};
    struct table *table = table_new(TABLE_COLUMNS(all));
    for (size_t row = 0; row < 4; row++) {
        table_text(table, methods[row]);
        table_real(table, means[row]);
        table_real(table, 0);
        table_real(table, -400.5);
        table_count(table, 123456);
        table_real(table, 0.123456);
        table_count(table, 1234567);
    }
    return table;
}

static struct table *for_readers(void)
{
    struct table *table = table_new(TABLE_COLUMNS(readers));
    for (int row = 0; row < 4; row++) {
        table_text(table, row < 3 ? "a" : "b");
        table_estimate(table, 12.3456, 12.2856, 12.4056);
    }
    return table;
}

/* What the view shows, or the message. */
static char *shown(const struct table_view *view, enum table_format format, bool two, int *status)
{
    struct table *table = two ? for_readers() : measured(), *other = two ? measured() : NULL, *made = NULL;
    struct error_text message = {""};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool machine = format == TABLE_CSV;
    *status = table_view_make(view, table, other, machine, &made, &message);
    if (*status)
        fputs(message.text, out);
    else
        table_write(out, format, made, &(struct table_frame){.program = "t"});
    fclose(out);
    table_free(table);
    table_free(other);
    table_free(made);
    return text;
}

static void shows(const struct table_view *view, enum table_format format, bool two, const char *expected,
                  const char *what)
{
    int status;
    char *text = shown(view, format, two, &status);
    if (!ok(status == STATUS_GOOD && strcmp(text, expected) == 0, "%s", what)) {
        text_tame(text);
        printf("# got %s\n", text);
    }
    free(text);
}

static void refuses(const struct table_view *view, const char *expected, const char *what)
{
    int status;
    char *text = shown(view, TABLE_CSV, false, &status);
    ok(status == STATUS_USAGE, "%s: bad usage", what);
    is_text(text, expected, what);
    free(text);
}

static void test_columns(void)
{
    const char *n_method[] = {"n", "method"}, *mean_n[] = {"mean", "n"}, *wrong[] = {"men"}, *far[] = {"colour"},
               *twice[] = {"n", "n"};
    const struct table_rename renames[] = {{"n", "Runs"}}, clash[] = {{"n", "mean"}}, unknown[] = {{"shape", "x"}};
    ok(table_view_is_plain(&(struct table_view){0}), "a view without wishes is plain");
    ok(!table_view_is_plain(&(struct table_view){.digits = 3}), "one with digits is not");
    shows(&(struct table_view){.columns = n_method, .column_count = 2, .renames = renames, .rename_count = 1},
          TABLE_CSV, false,
          "Runs,method\n123456,org.a.B.run10(int)\n123456,org.a.B.run2(int)\n123456,org.a.C.run2(long)\n123456,x\n",
          "columns come in the order that is wanted, with new names");
    shows(&(struct table_view){.columns = mean_n, .column_count = 2}, TABLE_MARKDOWN, true,
          "| mean | n |\n|---:|---:|\n| 12.35 ± 0.06 | 123456 |\n| 12.35 ± 0.06 | 123456 |\n| 12.35 ± 0.06 | 123456 |\n"
          "| 12.35 ± 0.06 | 123456 |\n",
          "a table for readers takes columns that it lacks from the other");
    refuses(&(struct table_view){.columns = wrong, .column_count = 1},
            "--columns: the table has no column 'men' (did you mean mean?)", "a misspelt column");
    refuses(&(struct table_view){.columns = far, .column_count = 1},
            "--columns: the table has no column 'colour'; columns are method, mean, p, log10_p, n, share, size",
            "an unknown column");
    refuses(&(struct table_view){.columns = twice, .column_count = 2}, "--columns: 'n' is given twice",
            "a column twice");
    refuses(&(struct table_view){.renames = clash, .rename_count = 1}, "--rename: two columns would be called 'mean'",
            "two columns of one name");
    refuses(&(struct table_view){.renames = unknown, .rename_count = 1},
            "--rename: the table has no column 'shape' (did you mean share?)", "an unknown column to rename");
}

static void test_sorting(void)
{
    const char *method[] = {"method"};
    const struct table_order by_method[] = {{"method", false}}, by_mean[] = {{"mean", true}},
                             by_two[] = {{"mean", false}, {"method", true}}, wrong[] = {{"shar", false}};
    struct table_view view = {.columns = method, .column_count = 1, .orders = by_method, .order_count = 1};
    shows(&view, TABLE_CSV, false, "method\norg.a.B.run2(int)\norg.a.B.run10(int)\norg.a.C.run2(long)\nx\n",
          "numbers in texts are sorted by size");
    view.orders = by_mean;
    shows(&view, TABLE_CSV, false, "method\norg.a.B.run10(int)\nx\norg.a.B.run2(int)\norg.a.C.run2(long)\n",
          "downwards by a column that is not shown: equal rows keep their order, blank cells are last");
    view.orders = by_two;
    view.order_count = 2;
    shows(&view, TABLE_CSV, false, "method\norg.a.B.run2(int)\nx\norg.a.B.run10(int)\norg.a.C.run2(long)\n",
          "equal rows are sorted by the next column, and blank cells are last upwards, too");
    view.orders = wrong;
    refuses(&view, "--sort: the table has no column 'shar' (did you mean share?)", "an unknown column to sort by");
}

/* Readers have p as texts, whose order is another. */
static void test_sorting_texts(void)
{
    static const struct table_column shown[] = {{"name", TABLE_TEXT}, {"p", TABLE_TEXT}},
                                     numbers[] = {{"name", TABLE_TEXT}, {"p", TABLE_REAL}};
    static const struct table_order by_p[] = {{"p", false}};
    const struct table_view view = {.orders = by_p, .order_count = 1};
    const char *const names[] = {"a", "b", "c"}, *const texts[] = {"0.0312", "6.4e-10", "4.7e-20"};
    const double p[] = {0.0312, 6.4e-10, 4.7e-20};
    struct table *table = table_new(TABLE_COLUMNS(shown)), *other = table_new(TABLE_COLUMNS(numbers)), *made = NULL;
    struct error_text message;
    for (size_t row = 0; row < 3; row++) {
        table_text(table, names[row]);
        table_text(table, texts[row]);
        table_text(other, names[row]);
        table_real(other, p[row]);
    }
    char digits[32];
    is_u64((uint64_t)table_view_make(&view, table, other, false, &made, &message), STATUS_GOOD, "a column of p");
    const char *const sorted[] = {"c", "b", "a"};
    for (size_t row = 0; row < 3 && made; row++)
        is_text(table_plain(made, row, 0, digits), sorted[row], "  is sorted by its numbers");
    table_free(made);
    table_free(table);
    table_free(other);
}

static void test_digits(void)
{
    const char *numbers[] = {"mean", "share", "size", "n"}, *estimate[] = {"mean"};
    struct table_view view = {.columns = numbers, .column_count = 4, .digits = 3};
    shows(&view, TABLE_CSV, false,
          "mean,share,size,n\n12.3,0.123,1234567,123456\n0.000988,0.123,1234567,123456\n,0.123,1234567,123456\n"
          "12.3,0.123,1234567,123456\n",
          "machine formats round reals, and leave counts and bytes");
    view.digits = 2;
    shows(&view, TABLE_MARKDOWN, false,
          "| mean | share | size | n |\n|---:|---:|---:|---:|\n| 12 | 12% | 1.2 MB | 123456 |\n"
          "| 0.00099 | 12% | 1.2 MB | 123456 |\n| - | 12% | 1.2 MB | 123456 |\n| 12 | 12% | 1.2 MB | 123456 |\n",
          "formats for readers have two significant digits");
    shows(&(struct table_view){.columns = estimate, .column_count = 1, .digits = 3}, TABLE_MARKDOWN, true,
          "| mean |\n|---:|\n| 12.3 ± 0.1 |\n| 12.3 ± 0.1 |\n| 12.3 ± 0.1 |\n| 12.3 ± 0.1 |\n",
          "the bounds of an interval are rounded outwards to the last digit of the value");
}

static void test_names(void)
{
    const char *method[] = {"method"}, *p[] = {"p"};
    const struct table_rename renames[] = {{"p", "p value"}};
    shows(&(struct table_view){.columns = method, .column_count = 1, .shortens = true}, TABLE_CSV, false,
          "method\nB.run10\nB.run2\nC.run2\nx\n", "short names are those that tell methods apart");
    shows(&(struct table_view){.columns = p, .column_count = 1, .renames = renames, .rename_count = 1}, TABLE_MARKDOWN,
          false, "| p value |\n|---:|\n| 3.2e-401 |\n| 3.2e-401 |\n| 3.2e-401 |\n| 3.2e-401 |\n",
          "a p-value that is too small for a double is written without its logarithm's column, and renamed");
}

/* The column that a view leaves out and that distinguishes rows, after the number of rows that are alike without it. */
static void drops(const char **columns, size_t count, const struct table *table, const struct table *other,
                  const char *expected, const char *what)
{
    size_t alike;
    char text[80];
    const char *name =
        table_view_find_dropped(&(struct table_view){.columns = columns, .column_count = count}, table, other, &alike);
    snprintf(text, sizeof text, "%zu %s", alike, name ? name : "none");
    is_text(text, expected, what);
}

static void test_dropped(void)
{
    static const struct table_column columns[] = {
        {"program", TABLE_TEXT}, {"metric", TABLE_TEXT}, {"rank", TABLE_COUNT}, {"mean", TABLE_REAL}};
    static const struct table_column texts[] = {
        {"program", TABLE_TEXT}, {"metric", TABLE_TEXT}, {"rank", TABLE_TEXT}, {"mean", TABLE_TEXT}};
    static const char *const rows[][4] = {
        {"a", "cpu", "1", "1.5"}, {"a", "wall", "2", "2.5"}, {"b", "cpu", "1", "3.5"}, {"b", "wall", "2", "4.5"}};
    const char *program_mean[] = {"program", "mean"}, *program_metric[] = {"metric", "program"}, *mean[] = {"mean"},
               *program_rank[] = {"program", "rank"};
    struct table *table = table_new(TABLE_COLUMNS(columns)), *human = table_new(TABLE_COLUMNS(texts));
    for (size_t row = 0; row < 4; row++) {
        for (size_t c = 0; c < 4; c++)
            table_text(human, rows[row][c]);
        table_text(table, rows[row][0]);
        table_text(table, rows[row][1]);
        table_count(table, strtoul(rows[row][2], NULL, 10));
        table_real(table, strtod(rows[row][3], NULL));
    }
    drops(program_mean, 2, table, NULL, "2 metric", "two rows have a like before each, and metric differs");
    drops(program_mean, 2, human, table, "2 metric", "numbers that readers have as texts don't distinguish rows");
    drops(mean, 1, table, NULL, "3 program", "the first column that differs counts");
    drops(program_metric, 2, table, NULL, "0 none", "rows with their names are distinguished");
    drops(program_rank, 2, table, NULL, "0 none", "counts distinguish rows, too");
    drops(NULL, 0, table, NULL, "0 none", "a view of all columns leaves out none");
    table_free(table);
    table_free(human);
}

int main(void)
{
    test_columns();
    test_sorting();
    test_sorting_texts();
    test_digits();
    test_names();
    test_dropped();
    return done_testing();
}
