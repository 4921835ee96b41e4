/* Values by name for LaTeX: the expected texts were written by hand. */
#include <stdlib.h>

#include "base/text.h"
#include "base/text_set.h"
#include "table/model/table_macros.h"
#include "tests/tap.h"

static const struct table_column times[] = {{"name", TABLE_TEXT}, {"n", TABLE_COUNT}, {"mean", TABLE_REAL},
                                            {"lo", TABLE_REAL},   {"hi", TABLE_REAL}, {"cv", TABLE_REAL}};
static const struct table_column readers[] = {{"name", TABLE_TEXT}, {"mean", TABLE_ESTIMATE}, {"cv", TABLE_SHARE}};

static void add_time(struct table *table, const char *name, double mean)
{
    table_text(table, name);
    table_count(table, 3);
    table_real(table, mean);
    table_real(table, mean - 0.5);
    table_real(table, mean + 0.5);
    table_real(table, 0.125);
}

/* The file, or the message; frees the tables. */
static char *macros_of(struct table *table, struct table *estimates, const char *template, int *status)
{
    struct table_macros *macros = NULL;
    struct error_text message = {""};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    *status = table_macros_new(table, estimates, template, "my file", &macros, &message);
    if (*status)
        fputs(message.text, out);
    else
        table_write(out, TABLE_MACROS, table, &(struct table_frame){.program = "t", .macros = macros});
    fclose(out);
    table_macros_free(macros);
    table_free(table);
    table_free(estimates);
    return text;
}

static void has(const char *text, const char *part)
{
    char line[200];
    snprintf(line, sizeof line, "the file has: %s", part);
    text_tame(line);
    if (!ok(strstr(text, part) != NULL, "%s", line))
        printf("# the file is %s", text);
}

/* The file has `count` values, each name once. */
static void has_distinct(const char *text, uint32_t count, const char *what)
{
    static const char begin[] = "\n\\assayvalue{";
    struct text_set names = {0};
    uint32_t found = 0;
    for (const char *at = text; (at = strstr(at, begin)); found++) {
        at += strlen(begin);
        char *name = strndup(at, strcspn(at, "}"));
        text_set_add(&names, name);
        free(name);
    }
    ok(found == count && names.count == count, "%s", what);
    text_set_free(&names);
}

static void test_values(void)
{
    int status;
    struct table *table = table_new(TABLE_COLUMNS(times)), *shown = table_new(TABLE_COLUMNS(readers));
    add_time(table, "50%_a", -1.5);
    table_text(shown, "50%_a");
    table_estimate(shown, -1.5, -2, -1);
    table_real(shown, 0.125);
    char *text = macros_of(table, shown, NULL, &status);
    has(text, "\n\\assayvalue{my-file.50-_a.name}{50\\%\\_a}%\n");
    has(text, "\n\\assayvalue{my-file.50-_a.n}{3}%\n");
    has(text, "\n\\assayvalue{my-file.50-_a.mean}{\\ensuremath{-1.5}}%\n");
    has(text, "\n\\assayvalue{my-file.50-_a.cv}{12.50\\%}%\n");
    has(text, "\n\\assayvalue{my-file.50-_a.mean.estimate}{\\ensuremath{-1.5 \\pm 0.5}}%\n");
    has(text, "\n\\assayvalue{my-file.50-_a.interval}{\\ensuremath{[-2.0, -1.0]}}%\n");
    has_distinct(text, 8, "a row has its columns, its estimate and its interval");
    free(text);
    table = table_new(TABLE_COLUMNS(times));
    add_time(table, "a", NAN);
    text = macros_of(table, NULL, NULL, &status);
    has_distinct(text, 3, "blank cells have no value, nor has an interval without bounds");
    free(text);
}

static void test_rows(void)
{
    static const char *const names[] = {"org.a.B.run(int)", "org.a.C.run(int)", "org.b.C.run(int)"};
    int status;
    struct table *table = table_new(TABLE_COLUMNS(times));
    for (size_t i = 0; i < 3; i++)
        add_time(table, names[i], 1);
    char *text = macros_of(table, NULL, NULL, &status);
    has(text, "{my-file.B.run.mean}");
    has(text, "{my-file.a.C.run.mean}");
    has(text, "{my-file.b.C.run.mean}");
    free(text);
    table = table_new(TABLE_COLUMNS(times));
    add_time(table, "a b", 1);
    add_time(table, "a%b", 2);
    add_time(table, "a-b.2", 3);
    add_time(table, "±", 4);
    text = macros_of(table, NULL, NULL, &status);
    has(text, "{my-file.a-b.1.mean}{1}%");
    has(text, "{my-file.a-b.3.mean}{2}%");
    has(text, "{my-file.a-b.2.mean}{3}%");
    has(text, "{my-file.mean}{4}%");
    has_distinct(text, 28, "rows of one name get numbers that no other row has");
    free(text);
    table = table_new(TABLE_COLUMNS(times));
    for (int i = 0; i < 20000; i++)
        add_time(table, i % 2 ? "a" : "A.1", 1);
    text = macros_of(table, NULL, NULL, &status);
    has_distinct(text, 140000, "20000 rows of two names have distinct values");
    free(text);
    static const struct table_column alike[] = {
        {"a_b", TABLE_REAL}, {"a b", TABLE_REAL}, {"a-b", TABLE_COUNT}, {"%", TABLE_COUNT}};
    table = table_new(TABLE_COLUMNS(alike));
    table_real(table, 1);
    table_real(table, 2);
    table_count(table, 3);
    table_count(table, 4);
    text = macros_of(table, NULL, NULL, &status);
    has(text, "{my-file.a_b}{1}%\n\\assayvalue{my-file.a-b}{2}%\n\\assayvalue{my-file.a-b-3}{3}%\n"
              "\\assayvalue{my-file.-4}{4}%\n");
    free(text);
}

static void test_templates(void)
{
    int status;
    struct table *table = table_new(TABLE_COLUMNS(times));
    add_time(table, "g 1", 1);
    add_time(table, "zgc", 2);
    char *text = macros_of(table, NULL, "fop.{name}x{n}", &status);
    has(text, "\n\\assayvalue{fop.g-1x3.mean}{1}%\n");
    has(text, "\n\\assayvalue{fop.zgcx3.mean}{2}%\n");
    free(text);
    static const struct {
        const char *template, *message;
    } bad[] = {{"fop", "--macro-name: fop names two rows; write a column in braces into the name: {rank}"},
               {"{nme}", "--macro-name: {nme} is not a column (did you mean name?)"},
               {"{colour}", "--macro-name: {colour} is not a column; columns are name, n, mean, lo, hi, cv"},
               {"a{{name}", "--macro-name a{{name}: TeX can't read this as a name"},
               {"a{name", "--macro-name a{name: TeX can't read this as a name"},
               {"a b", "--macro-name a b: TeX can't read this as a name"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        table = table_new(TABLE_COLUMNS(times));
        add_time(table, "a", 1);
        add_time(table, "b", 2);
        text = macros_of(table, NULL, bad[i].template, &status);
        is_u64((uint64_t)status, STATUS_USAGE, "a bad name: bad usage");
        is_text(text, bad[i].message, "a bad name: the message");
        free(text);
    }
}

static void test_p_values(void)
{
    static const struct table_column all[] = {{"name", TABLE_TEXT}, {"p_family", TABLE_REAL}},
                                     shown[] = {{"name", TABLE_TEXT}, {"p_family", TABLE_TEXT}};
    int status;
    struct table *table = table_new(TABLE_COLUMNS(all)), *text_table = table_new(TABLE_COLUMNS(shown));
    const double p[] = {2.14e-7, 0.03};
    const char *const texts[] = {"2.1e-07", "0.0300"}, *const names[] = {"a", "b"};
    for (size_t row = 0; row < 2; row++) {
        table_text(table, names[row]);
        table_real(table, p[row]);
        table_text(text_table, names[row]);
        table_text(text_table, texts[row]);
    }
    char *text = macros_of(table, text_table, NULL, &status);
    has(text, "\n\\assayvalue{my-file.a.p_family}{\\ensuremath{2.1 \\times 10^{-7}}}%\n");
    has(text, "\n\\assayvalue{my-file.b.p_family}{0.0300}%\n");
    free(text);
}

/* A name of C++ with many parts, whose LaTeX is several times as long. */
static void test_long_text(void)
{
    static const struct table_column columns[] = {{"name", TABLE_TEXT}, {"n", TABLE_COUNT}};
    char name[2001];
    int status;
    struct table *table = table_new(TABLE_COLUMNS(columns));
    for (size_t i = 0; i < sizeof name - 1; i += 5)
        memcpy(name + i, "a<_>:", 5);
    name[sizeof name - 1] = '\0';
    table_text(table, name);
    table_count(table, 1);
    char *text = macros_of(table, NULL, "long", &status), *at = strstr(text, "{long.name}"),
         *end = strstr(text, "}%\n\\assayvalue{long.n}");
    size_t parts = 0;
    for (char *part = at; part && (part = strstr(part, "\\textless{}")); part++)
        parts++;
    ok(status == 0 && end != NULL, "a long text ends with its brace");
    is_u64(parts, 400, "  and has all its parts");
    free(text);
}

int main(void)
{
    test_values();
    test_rows();
    test_templates();
    test_p_values();
    test_long_text();
    return done_testing();
}
