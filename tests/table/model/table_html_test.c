/* Tables as HTML: the expected texts were written by hand. */
#include <stdlib.h>

#include "table/model/columns.h"
#include "base/text.h"
#include "tests/tap.h"

/* Frees the table; the text is the caller's. */
static char *written(struct table *table, struct table_frame frame)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int error = out ? table_write(out, TABLE_HTML, table, &frame) : -1;
    if (out)
        fclose(out);
    table_free(table);
    if (error)
        ok(false, "table_write: %d", error);
    return text;
}

/* TAP consists of lines. */
static void contains(const char *text, const char *part, bool expected)
{
    char line[200];
    snprintf(line, sizeof line, "the page %s: %s", expected ? "has" : "lacks", part);
    text_tame(line);
    ok((strstr(text, part) != NULL) == expected, "%s", line);
}

static void has(const char *text, const char *part)
{
    contains(text, part, true);
}

static void has_not(const char *text, const char *part)
{
    contains(text, part, false);
}

static struct table *cells(void)
{
    static const struct table_column columns[] = {{"na<me", TABLE_TEXT}, {"lines", TABLE_LINES}, {"n", TABLE_COUNT},
                                                  {"size", TABLE_BYTES}, {"share", TABLE_SHARE}, {"x", TABLE_REAL},
                                                  {"y", TABLE_ESTIMATE}};
    struct table *table = table_new(TABLE_COLUMNS(columns));
    table_text(table, "<script>\"&'\xff\033");
    table_text(table, "one <\ntwo");
    table_count(table, 12);
    table_count(table, 1060000000);
    table_real(table, 0.125);
    table_real(table, 1.0 / 3);
    table_estimate(table, 1.13, 1.1, 1.16);
    for (size_t c = 0; c < 7; c++)
        table_blank(table);
    return table;
}

static void test_cells(void)
{
    char *page = written(cells(), (struct table_frame){.program = "t"});
    has(page, "<th scope=\"col\"><span>na&lt;me</span></th><th scope=\"col\"><span>lines</span></th>"
              "<th scope=\"col\" class=\"n\"><span>n</span></th>");
    has(page, "<tr><td>&lt;script&gt;&quot;&amp;'\u00ff?</td><td>one &lt;<br>two</td><td>12</td>");
    has(page, "<td title=\"1060000000\">1.06 GB</td><td title=\"0.125\">12.50%</td>"
              "<td title=\"0.3333333333333333\">0.33333</td><td title=\"1.13 [1.1, 1.16]\">1.130 ± 0.030</td></tr>");
    has(page, "<tr><td>-</td><td>-</td><td>-</td><td>-</td><td>-</td><td>-</td><td>-</td></tr>");
    has(page, "<span>2 rows</span>");
    has(page, ".result td:nth-child(3) { text-align: right;");
    has_not(page, ".result td:nth-child(2) {");
    has_not(page, "<table class=\"values\">");
    free(page);
}

/* An interval without a bound on one side, and none. */
static void test_intervals(void)
{
    static const struct table_column columns[] = {{"y", TABLE_ESTIMATE}};
    struct table *table = table_new(TABLE_COLUMNS(columns));
    table_estimate(table, 2.5, 2, INFINITY);
    table_estimate(table, 2.123456, NAN, NAN);
    char *page = written(table, (struct table_frame){.program = "t"});
    has(page, "<td title=\"2.5 [2, inf]\">");
    has(page, "<td title=\"2.123456\">2.1235</td>");
    free(page);
}

/* What is an extract for readers has all values below it. */
static void test_values(void)
{
    static const struct table_column columns[] = {{"name", TABLE_TEXT}, {"share", TABLE_SHARE}};
    struct table *all = table_new(TABLE_COLUMNS(columns));
    table_text(all, "a");
    table_real(all, 0.125);
    table_blank(all);
    table_blank(all);
    char *page = written(cells(), (struct table_frame){.program = "t", .values = all});
    has(page, "<table class=\"values\">");
    has(page, "<tr><td>a</td><td>0.125</td></tr>\n<tr><td></td><td></td></tr>");
    has(page, ".values td:nth-child(2) {");
    free(page);
    table_free(all);
}

static void test_frame(void)
{
    static const struct column described[] = {{.name = "n", .type = TABLE_COUNT, .meaning = "How \"many\"."}};
    static const struct columns columns = COLUMNS("One row", described);
    json_t *texts = json_pack("[s, s]", "a <b>", "c");
    json_t *object = json_pack("{s:i, s:f, s:n, s:b, s:{s:s}, s:[s, i]}", "rows", 3, "slope", 0.1, "none", "yes", 1,
                               "inner", "key", "a&b", "list", "x", 7);
    char *page = written(cells(), (struct table_frame){.program = "t",
                                                       .question = "Is <it>? A test.",
                                                       .headline = "\"a<b>\" is larger.",
                                                       .command = "assay t 'a&b'",
                                                       .warnings = texts,
                                                       .notes = texts,
                                                       .input = texts,
                                                       .summary = object,
                                                       .loss = object,
                                                       .columns = &columns});
    has(page, "<title>assay t 'a&amp;b'</title>");
    has(page, "<h1>Is &lt;it&gt;?</h1>\n<p class=\"headline\">&quot;a&lt;b&gt;&quot; is larger.</p>\n<p "
              "class=\"quiet\">A test.</p>\n<p><code>assay t 'a&amp;b'</code></p>");
    has(page, "<details open><summary>2 warnings</summary>\n<ul class=\"remarks warnings\">\n<li>a &lt;b&gt;</li>");
    has(page, "<h2>Method and notes</h2>\n<ul class=\"remarks\">\n<li>a &lt;b&gt;</li>");
    has(page, "<summary>2 inputs</summary>");
    has(page, "title=\"How &quot;many&quot;.\"><span>n</span>");
    has(page, "<dt>n</dt><dd>How &quot;many&quot;.</dd>");
    has(page, "<dt>rows</dt><dd>3</dd>\n<dt>slope</dt><dd>0.1</dd>\n<dt>none</dt><dd>-</dd>\n<dt>yes</dt><dd>yes</dd>");
    has(page, "<dt>inner</dt><dd><dl class=\"facts\">\n<dt>key</dt><dd>a&amp;b</dd>\n</dl>");
    has(page, "<li>x</li>\n<li>7</li>");
    has(page, "<footer>assay " ASSAY_VERSION "</footer>");
    json_decref(texts);
    json_decref(object);
    free(page);
}

static void test_figure(void)
{
    char *page = written(cells(), (struct table_frame){.program = "t",
                                                       .figure = "<?xml?>\n<svg width=\"100\"><title>G</title><desc>d"
                                                                 "</desc><g><title>p</title>\xff</g></svg>\n",
                                                       .figure_note = "3 of 4"});
    has(page, "<svg role=\"img\" aria-label=\"Figure of the result\" style=\"max-width: 150px\" "
              "width=\"100\"><g>\u00ff</g></svg>\n"
              "<figcaption>3 of 4</figcaption>");
    has_not(page, "<?xml");
    free(page);
    page = written(cells(), (struct table_frame){.program = "t", .figure_note = "no <gnuplot>"});
    has(page, "There is no figure: no &lt;gnuplot&gt;</p>");
    free(page);
    page = written(cells(), (struct table_frame){.program = "t"});
    has_not(page, "Figure");
    has_not(page, "<p class=\"headline\"");
    free(page);
}

int main(void)
{
    test_cells();
    test_intervals();
    test_values();
    test_frame();
    test_figure();
    return done_testing();
}
