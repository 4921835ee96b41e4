/* Tables as LaTeX, Markdown and JSON: the expected texts were written by hand. */
#include <stdlib.h>

#include "table/model/table.h"
#include "base/text.h"
#include "base/text_set.h"
#include "tests/tap.h"

#define TABLE(columns) table_new(columns, sizeof columns / sizeof columns[0])

static const struct table_column sizes[] = {{"name", TABLE_TEXT}, {"mean", TABLE_REAL}, {"sd", TABLE_REAL}};
static const struct table_column terms[] = {{"term", TABLE_TEXT}, {"p", TABLE_REAL}, {"log10_p", TABLE_REAL}};

/* Frees the table; the text is the caller's. */
static char *written(struct table *table, enum table_format format, struct table_frame frame)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int error = out ? table_write(out, format, table, &frame) : -1;
    if (out)
        fclose(out);
    table_free(table);
    if (error)
        ok(false, "table_write: %d", error);
    return text;
}

static char *latex_of(struct table *table)
{
    return written(table, TABLE_LATEX, (struct table_frame){.program = "t"});
}

/* TAP consists of lines. */
static void contains(const char *text, const char *part, bool expected)
{
    char line[200];
    snprintf(line, sizeof line, "the output %s: %s", expected ? "has" : "lacks", part);
    text_tame(line);
    bool found = strstr(text, part) != NULL;
    if (!ok(found == expected, "%s", line))
        printf("# the text is %s", text);
}

static void has(const char *text, const char *part)
{
    contains(text, part, true);
}

static void has_not(const char *text, const char *part)
{
    contains(text, part, false);
}

static void add_size(struct table *table, const char *name)
{
    table_text(table, name);
    table_real(table, 1);
    table_real(table, 2);
}

static void add_term(struct table *table, const char *name, double p, double log10_p)
{
    table_text(table, name);
    table_real(table, p);
    table_real(table, log10_p);
}

static void test_numbers(void)
{
    static const struct table_column columns[] = {{"name", TABLE_TEXT},   {"x", TABLE_REAL},  {"rounded", TABLE_REAL},
                                                  {"share", TABLE_SHARE}, {"n", TABLE_COUNT}, {"e", TABLE_ESTIMATE}};
    struct table *table = TABLE(columns);
    table_text(table, "a");
    table_real(table, -1.5);
    table_rounded(table, -1.2345, 2);
    table_real(table, -0.125);
    table_count(table, 7);
    table_estimate(table, -1.1312, -1.1312 - 0.0223, -1.1312 + 0.0223);
    table_text(table, "b");
    table_real(table, -INFINITY);
    table_rounded(table, 1.234e-7, 9);
    table_real(table, INFINITY);
    table_blank(table);
    table_estimate(table, 2.5e12, 2.488e12, 2.512e12);
    table_text(table, "c");
    table_real(table, -2.5e-9);
    table_rounded(table, 3e-7, 2);
    table_real(table, 1e298);
    table_blank(table);
    table_blank(table);
    char *latex = latex_of(table);
    has(latex, "a & $-1.5$ & $-1.23$ & $-12.50\\%$ & 7 & $-1.131 \\pm 0.023$ \\\\");
    has(latex, "b & $-\\infty$ & $1.23 \\times 10^{-7}$ & $\\infty$ & -- & $(2.500 \\pm 0.012) \\times 10^{12}$ \\\\");
    has(latex, "c & $-2.5 \\times 10^{-9}$ & 0 & $1 \\times 10^{300}\\%$ & -- & -- \\\\");
    free(latex);
}

static char *styled(struct table_latex style)
{
    static const struct table_column columns[] = {
        {"method", TABLE_TEXT}, {"where", TABLE_TEXT}, {"e", TABLE_ESTIMATE}, {"share", TABLE_SHARE}, {"x", TABLE_REAL},
        {"n", TABLE_COUNT},     {"size", TABLE_BYTES}, {"p", TABLE_REAL},     {"log10_p", TABLE_REAL}};
    static const char *const methods[] = {"AbstractFactory.create(int)", "b", "c"};
    static const double centers[] = {12.3, 4.71e-9, 1.3}, lows[] = {11.6, 4.67e-9, 1.11},
                        highs[] = {13, 4.75e-9, INFINITY};
    struct table *table = TABLE(columns);
    for (size_t row = 0; row < 3; row++) {
        table_text(table, methods[row]);
        table_text(table, row ? "x" : "a long/path-to/some_file");
        table_estimate(table, centers[row], lows[row], highs[row]);
        table_real(table, row ? 0.125 : 0.0512);
        table_real(table, row == 1 ? NAN : -1.5 * (double)(row + 1));
        table_count(table, 90 + row * 10);
        table_count(table, 1234567);
        table_real(table, row ? 0.5 : 0);
        table_real(table, row ? -0.301 : -400.5);
    }
    return written(table, TABLE_LATEX, (struct table_frame){.program = "t", .latex = style});
}

static void test_styles(void)
{
    char *latex = styled((struct table_latex){0});
    has(latex, "% needs \\usepackage{booktabs}\n\\begin{tabular}{@{}llrrrrrrr@{}}\n\\toprule\n");
    has(latex, "& 5.12\\% & $-1.5$ & 90 & 1.23~MB & $3.2 \\times 10^{-401}$ &");
    free(latex);
    latex = styled((struct table_latex){.plain = true});
    has(latex, "\\begin{tabular}{@{}llrrrrrrr@{}}\n\\hline\n");
    has_not(latex, "usepackage");
    has_not(latex, "rule");
    free(latex);
    latex = styled((struct table_latex){.siunitx = true});
    has(latex, "{booktabs,siunitx}\n");
    has(latex, "{@{}llS[table-format=2.2e-1]@{\\,}lS[table-format=2.2]S[table-format=-1.1]S[table-format=3.0]r"
               "S[table-format=1.4e-3]S[table-format=-3.3]@{}}");
    has(latex, "& \\multicolumn{2}{c}{e} & {share (\\%)} & {x} & {n} & size & {p} & {log10\\_p} \\\\");
    has(latex, "& 12.3 & $\\pm\\,0.7$ & 5.12 & -1.5 & 90 & 1.23~MB & 3.2e-401 & -400.5 \\\\");
    has(latex, "& 4.71e-9 & $\\pm\\,0.04 \\times 10^{-9}$ & 12.50 & {--} & 100 &");
    has(latex, "& 1.30 & $[1.11, \\infty)$ & 12.50 & -4.5 & 110 &");
    free(latex);
    latex = styled((struct table_latex){.fits = true});
    has(latex, "{booktabs,tabularx}\n\\begin{tabularx}{\\linewidth}{@{}>{\\hsize=1.059\\hsize\\raggedright"
               "\\arraybackslash}X>{\\hsize=0.941\\hsize\\raggedright\\arraybackslash}Xrrrrrrr@{}}");
    has(latex, "\nAbstract\\allowbreak{}Factory.\\allowbreak{}create(\\allowbreak{}int) & a "
               "long/\\allowbreak{}path-\\allowbreak{}to/\\allowbreak{}some\\_\\allowbreak{}file & ");
    free(latex);
    struct table *numbers = TABLE(terms);
    add_term(numbers, "a", 1, 0);
    latex = written(numbers, TABLE_LATEX, (struct table_frame){.latex = {.fits = true}});
    has(latex, "\\begin{tabular*}{\\linewidth}{@{\\extracolsep{\\fill}}lrr@{}}");
    free(latex);
}

static void test_p(void)
{
    struct table *table = TABLE(terms);
    add_term(table, "below", 0, -2476.67399); /* 10^-0.67399 = 0.2119 */
    add_term(table, "small", 1.83e-41, -40.7375);
    char *latex = latex_of(table);
    has(latex, "below & $2.1 \\times 10^{-2477}$ &");
    has(latex, "small & $1.8 \\times 10^{-41}$ &");
    free(latex);
    table = TABLE(terms);
    add_term(table, "below", 0, -2476.67399);
    char *text = written(table, TABLE_TEXT_FORMAT, (struct table_frame){0});
    has(text, "2.1e-2477");
    free(text);
    static const struct table_column human[] = {{"name", TABLE_TEXT}, {"p", TABLE_TEXT}};
    table = TABLE(human);
    table_text(table, "a_b");
    table_text(table, "1.8e-41");
    table_text(table, "1.8e-41");
    table_text(table, "1e-5_x");
    latex = latex_of(table);
    has(latex, "a\\_b & $1.8 \\times 10^{-41}$ \\\\");
    has(latex, "1.8e-41 & 1e-5\\_x \\\\"); /* texts, for all we know */
    free(latex);
}

static void test_other_p_values(void)
{
    static const struct table_column columns[] = {
        {"p_family", TABLE_TEXT}, {"welch_p", TABLE_TEXT}, {"tip", TABLE_TEXT}};
    struct table *table = TABLE(columns);
    for (size_t c = 0; c < 3; c++)
        table_text(table, "1.8e-41");
    char *latex = latex_of(table);
    has(latex, "$1.8 \\times 10^{-41}$ & $1.8 \\times 10^{-41}$ & 1.8e-41 \\\\");
    free(latex);
}

static struct table *odd_table(void)
{
    static const struct table_column columns[] = {{"a\n\\x|b_c\033", TABLE_TEXT}, {"x", TABLE_REAL}};
    struct table *table = TABLE(columns);
    table_text(table, "b\r\033\302\233\177");
    table_real(table, 1);
    return table;
}

static void test_control_characters(void)
{
    json_t *notes = json_pack("[s, s]", "a\n\\input{x}", "b\033[31m\tc\302\233");
    const struct table_frame frame = {.program = "t", .notes = notes, .warnings = notes};
    char *latex = written(odd_table(), TABLE_LATEX, frame);
    has(latex, "\n% a?\\input{x}\n% b?[31m?c?\n");
    has(latex, "\n% warning: a?\\input{x}\n");
    has(latex, "\na?\\textbackslash{}x\\textbar{}b\\_c? & x \\\\");
    has(latex, "b???? & 1");
    has_not(latex, "\033");
    free(latex);
    char *text = written(odd_table(), TABLE_TEXT_FORMAT, frame);
    has(text, "a?\\x|b_c?  x\nb????      1\n\nwarning: a?\\input{x}\n");
    has_not(text, "\033");
    free(text);
    char *markdown = written(odd_table(), TABLE_MARKDOWN, frame);
    has(markdown, "| a?\\\\x\\|b\\_c? | x |\n");
    has_not(markdown, "\033");
    free(markdown);
    json_decref(notes);
}

/* Brackets and stars after a line end would become its arguments; the others are glyphs of another kind. */
static void test_characters(void)
{
    struct table *table = TABLE(sizes);
    add_size(table, "[1]*1000");
    add_size(table, "map<int>|set & 50%_$#{}^~\\");
    char *latex = latex_of(table);
    has(latex, "\n{[}1]{*}1000 & 1 & 2 \\\\\n");
    has(latex,
        "\nmap\\textless{}int\\textgreater{}\\textbar{}set \\& 50\\%\\_\\$\\#\\{\\}\\^{}\\~{}\\textbackslash{} & 1");
    free(latex);
}

static void test_summary(void)
{
    json_t *summary = json_pack("{s:f, s:f, s:f, s:[f, i], s:{}, s:n, s:b}", "a", 0.1, "b", 4.0, "c", 1.0 / 3, "d",
                                1e-300, 2, "e", "f", "g", 1);
    text_json_set(summary, "\xff\"", json_string("\""));
    char *json = written(TABLE(sizes), TABLE_JSON, (struct table_frame){.program = "t", .summary = summary});
    has(json, "\"summary\": {\"a\": 0.1, \"b\": 4.0, \"c\": 0.3333333333333333, \"d\": [1e-300, 2], \"e\": {}, "
              "\"f\": null, \"g\": true, \"ÿ\\\"\": \"\\\"\"},\n");
    json_decref(summary);
    free(json);
}

static void test_nothing(void)
{
    char *latex = written(TABLE(sizes), TABLE_LATEX, (struct table_frame){0});
    has(latex, "name & mean & sd \\\\\n\\midrule\n\\bottomrule");
    free(latex);
    ok(text_json_set(NULL, "a", json_null()) != 0, "setting a key of no object fails");
}

int main(void)
{
    test_nothing();
    test_styles();
    test_numbers();
    test_p();
    test_other_p_values();
    test_control_characters();
    test_characters();
    test_summary();
    return done_testing();
}
