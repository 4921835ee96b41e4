#include "table/model/columns.h"

#include <stdlib.h>

#include "tests/tap.h"

struct fruit {
    const char *name, *colour;
    uint64_t count;
    double weight, half_width, share;
    struct column_estimate price;
    bool priced;
};

enum { WITH_COLOUR = 1 };

static const struct column fruit_columns[] = {
    COLUMN(fruit, "fruit", TABLE_TEXT, name, "What it is.", .figure = "x"),
    COLUMN(fruit, "colour", TABLE_TEXT, colour, "Its colour.", .when = WITH_COLOUR),
    COLUMN(fruit, "count", TABLE_COUNT, count, "How many there are."),
    COLUMN(fruit, "weight", TABLE_REAL, weight, "In kg.", .half_width = offsetof(struct fruit, half_width),
           .figure = "y"),
    COLUMN(fruit, "share", TABLE_SHARE, share, "Of all.", .readers = COLUMN_MACHINE),
    COLUMN(fruit, "price", TABLE_REAL, price.value, "In cents.", .readers = COLUMN_MACHINE),
    COLUMN(fruit, "sales", TABLE_COUNT, count, "How many were sold.", .readers = COLUMN_MACHINE,
           .present = offsetof(struct fruit, priced)),
    COLUMN(fruit, "price", TABLE_ESTIMATE, price, NULL, .readers = COLUMN_HUMAN)};
static const struct columns fruits = COLUMNS("One row for each fruit", fruit_columns);
static const struct columns plain = COLUMNS("A row", fruit_columns);

static char *written(enum columns_view view, unsigned given, enum table_format format)
{
    const struct fruit rows[] = {{"pear", "green", 2, 0.1234, 0.02, 0.5, {30, 29, 31}, true},
                                 {"plum", NULL, UINT64_MAX, NAN, NAN, NAN, {NAN, NAN, NAN}, false}};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct table *table = columns_table(&fruits, view, given);
    for (size_t i = 0; i < 2; i++)
        columns_add(table, &fruits, view, given, &rows[i]);
    table_write(out, format, table, &(struct table_frame){.program = "fruit"});
    table_free(table);
    fclose(out);
    return text;
}

static void is_written(enum columns_view view, unsigned given, enum table_format format, const char *expected,
                       const char *what)
{
    char *text = written(view, given, format);
    is_text(text, expected, what);
    free(text);
}

int main(void)
{
    is_written(COLUMNS_MACHINE, 0, TABLE_CSV,
               "fruit,count,weight,share,price,sales\npear,2,0.1234,0.5,30,2\nplum,18446744073709551615,,,,\n",
               "machines read every digit, and a count that is not present is blank");
    is_written(COLUMNS_MACHINE, WITH_COLOUR, TABLE_CSV,
               "fruit,colour,count,weight,share,price,sales\npear,green,2,0.1234,0.5,30,2\n"
               "plum,,18446744073709551615,,,,\n",
               "an option adds its column, and a missing text is blank");
    is_written(COLUMNS_FIGURE, WITH_COLOUR, TABLE_CSV, "x,y\npear,0.1234\nplum,\n", "the figure has names of its own");
    is_written(COLUMNS_HUMAN, 0, TABLE_MARKDOWN,
               "| fruit | count | weight | price |\n|---|---:|---:|---:|\n| pear | 2 | 0.123 | 30.0 ± 1.0 |\n"
               "| plum | 18446744073709551615 | - | - |\n",
               "human formats have the digits that the half width supports");
    ok(columns_differ(&fruits) && columns_have_figure(&plain), "human formats have a table of their own, and a figure");

    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    static const struct column words[] = {
        COLUMN(fruit, "a", TABLE_TEXT, name,
               "Ten words of eight letters, of which there are exactly as many as fill one line, and then some more.")};
    static const struct columns tables[] = {COLUMNS("First", words), COLUMNS("Then", fruit_columns)};
    columns_describe(out, tables, 2);
    fclose(out);
    is_text(
        text,
        "First:\n  a\n      Ten words of eight letters, of which there are exactly as many as fill one\n"
        "      line, and then some more.\n\nThen:\n  fruit\n      What it is.\n  colour\n      Its colour.\n  count\n"
        "      How many there are.\n  weight\n      In kg.\n  share\n      Of all.\n  price\n      In cents.\n"
        "  sales\n      How many were sold.\n",
        "tables are described, each column once, in lines of 80 characters at most");
    free(text);

    /* Without its colon, the second line of the title would have 80 characters. */
    static const struct columns titled[] = {
        COLUMNS("With --pairs and --lines, one row for each of those pairs of contexts that only "
                "these or those runs have, after the columns of the groups that the runs are from",
                words)};
    out = open_memstream(&text, &size);
    columns_describe(out, titled, 1);
    fclose(out);
    is_text(text,
            "With --pairs and --lines, one row for each of those pairs of contexts that only\n"
            "these or those runs have, after the columns of the groups that the runs are\nfrom:\n"
            "  a\n      Ten words of eight letters, of which there are exactly as many as fill one\n"
            "      line, and then some more.\n",
            "a title fills lines of 80 characters at most, too, with its colon");
    free(text);
    return done_testing();
}
