/*
 * The printed output of Catch2 for benchmarks, versions 2 and 3. Between two lines of dashes are the test case and its
 * sections; below "benchmark name … samples … iterations", a line of dashes; then, for each benchmark,
 *
 *   NAME            SAMPLES  ITERATIONS  ESTIMATE UNIT
 *                   MEAN UNIT   LOW MEAN UNIT   HIGH MEAN UNIT
 *                   STD DEV UNIT  LOW UNIT      HIGH UNIT
 *
 * where a long name takes several lines, the last of which has the figures. With --benchmark-no-analysis the mean
 * replaces the estimate, and there are no further lines.
 */
#include "table/import/bench_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum state { OUTSIDE, TITLE, HEAD, BENCHMARKS, MEANS, DEVIATIONS };

struct console {
    enum state state;
    bool analysis;
    bool begun, ended; /* Catch2's first and last words were seen */
    size_t line;
    char test[600], name[600];
    char samples[32];
    char mean[3][64]; /* ns: mean, low, high */
};

/* Cuts the last word off a line; "" if there is none. */
static const char *console_cut_word(char *line)
{
    size_t length = strlen(line);
    while (length && isspace((unsigned char)line[length - 1]))
        length--;
    line[length] = '\0';
    while (length && !isspace((unsigned char)line[length - 1]))
        length--;
    if (length)
        line[length - 1] = '\0';
    return line + length;
}

/* Cuts "242.894 ns" off the end of a line. */
static bool console_cut_time(char *line, char *ns, size_t size)
{
    const char *unit = console_cut_word(line), *number = unit > line ? console_cut_word(line) : "";
    /* "13.5502e6" ns for "13.5502 ms", if the unit is one of Catch2's. */
    static const struct {
        const char *unit, *exponent;
    } units[] = {{"ns", ""}, {"us", "e3"}, {"\xc2\xb5s", "e3"}, {"\xce\xbcs", "e3"}, {"ms", "e6"}, {"s", "e9"}};
    if (!isdigit((unsigned char)*number) || number[strspn(number, "0123456789.")])
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].unit) == 0) {
            snprintf(ns, size, "%s%s", number, units[i].exponent);
            return true;
        }
    snprintf(ns, size, "%.17g", strtod(number, NULL) * 60e9);
    return strcmp(unit, "m") == 0;
}

static bool console_three_times(const char *line, char ns[3][64])
{
    char copy[512];
    snprintf(copy, sizeof copy, "%s", line);
    for (size_t i = 3; i-- > 0;)
        if (!console_cut_time(copy, ns[i], sizeof ns[i]))
            return false;
    return strspn(copy, " \t") == strlen(copy);
}

static bool console_is_count(const char *word)
{
    return *word && strspn(word, "0123456789") == strlen(word);
}

/* Appends the rest of a line to the name so far, after a blank. */
static void console_append_name(char *name, size_t size, const char *line, const char *between)
{
    size_t length = strlen(name);
    while (*line == ' ')
        line++;
    snprintf(name + length, size - length, "%s%s", length ? between : "", line);
    for (length = strlen(name); length && isspace((unsigned char)name[length - 1]); length--)
        name[length - 1] = '\0';
}

static void console_add_result(struct bench *bench, struct console *console, const char *deviation)
{
    char full[1300];
    snprintf(full, sizeof full, "%s%s%s", console->test, *console->test ? "/" : "", console->name);
    bench_row(bench);
    bench_text(bench, "name", full);
    bench_count(bench, "run", bench_repeated(bench, full));
    bench_text(bench, "samples", console->samples);
    bench_text(bench, "mean", console->mean[0]);
    if (deviation) {
        bench_text(bench, "low mean", console->mean[1]);
        bench_text(bench, "high mean", console->mean[2]);
        bench_text(bench, "std dev", deviation);
    }
    console->name[0] = '\0';
}

/* A name without figures: a benchmark that printed something, or died. */
static void console_drop_name(struct bench *bench, struct console *console)
{
    if (console->name[0])
        bench_leave_out(bench, "had no measured value");
    console->name[0] = '\0';
}

static void console_read_benchmark(struct bench *bench, struct console *console, const char *line)
{
    char copy[512], times[3][64];
    const char *failed = strstr(line, "Benchmark failed (");
    snprintf(copy, sizeof copy, "%s", line);
    if (failed) {
        bench_leave_out(bench, "failed (%.*s)", (int)strcspn(failed + 18, ")"), failed + 18);
        console->name[0] = '\0';
    } else if (console->analysis && console_three_times(line, times)) {
        bench_fail(bench, "line %zu has times, but the line before does not say of what", console->line);
    } else if (console_cut_time(copy, console->mean[0], sizeof console->mean[0]) &&
               console_is_count(console_cut_word(copy))) {
        const char *samples = console_cut_word(copy);
        if (!console_is_count(samples))
            bench_fail(bench, "line %zu: '%.40s' is not a number of samples", console->line, samples);
        snprintf(console->samples, sizeof console->samples, "%.31s", samples);
        console_append_name(console->name, sizeof console->name, copy, " ");
        if (console->analysis)
            console->state = MEANS;
        else
            console_add_result(bench, console, NULL);
    } else {
        console_append_name(console->name, sizeof console->name, line, " ");
    }
}

/* A line of only this character. */
static bool console_is_rule(const char *line, char c)
{
    size_t length = 0;
    while (line[length] == c)
        length++;
    return length > 20 && strspn(line + length, " \r") == strlen(line + length);
}

static bool console_is_head(const char *line)
{
    return strncmp(line, "benchmark name ", 15) == 0 && strstr(line, " samples ") && strstr(line, " iterations ");
}

static void console_read_line(struct bench *bench, struct console *console, const char *line)
{
    char copy[512], times[3][64];
    bool blank = strspn(line, " \t\r") == strlen(line);
    console->begun = console->begun || console_is_rule(line, '~');
    if (console->state == MEANS || console->state == DEVIATIONS) {
        char deviation[3][64];
        bool means = console->state == MEANS;
        if (!console_three_times(line, means ? console->mean : deviation)) {
            bench_fail(bench, "line %zu should hold the %s of '%.60s' and its bounds", console->line,
                       means ? "mean" : "standard deviation", console->name);
        } else {
            console->state = means ? DEVIATIONS : BENCHMARKS;
            if (!means)
                console_add_result(bench, console, deviation[0]);
        }
    } else if (console_is_rule(line, '-') || console_is_rule(line, '=')) {
        bool dashes = *line == '-';
        console_drop_name(bench, console);
        if (!dashes)
            console->state = OUTSIDE;
        else if (console->state == HEAD)
            console->state = BENCHMARKS;
        else
            console->state = console->state == TITLE ? OUTSIDE : TITLE;
        if (console->state == TITLE)
            console->test[0] = '\0';
        console->ended = console->ended || !dashes;
    } else if (console_is_head(line)) {
        console_drop_name(bench, console);
        console->state = HEAD;
        snprintf(copy, sizeof copy, "%s", line);
        console->analysis = strcmp(console_cut_word(copy), "mean") != 0;
    } else if (console->state == BENCHMARKS && blank) {
        console_drop_name(bench, console);
    } else if (console->state == BENCHMARKS) {
        console_read_benchmark(bench, console, line);
    } else if (console->state != BENCHMARKS && console_three_times(line, times)) {
        bench_fail(bench, "line %zu has times, but no table header comes before it", console->line);
    } else if (console->state == TITLE) {
        console_append_name(console->test, sizeof console->test, line, *line == ' ' ? "/" : " ");
    }
}

/* A copy of a line, cut where it does not fit. */
static const char *console_cut_line(struct rows_cell line, char *cut, size_t size)
{
    snprintf(cut, size, "%.*s", (int)(line.length < size ? line.length : size), line.text);
    return cut;
}

void bench_read_catch2_console(struct bench *bench, const char *text, size_t length)
{
    static const char *const columns[] = {"run", "samples", "mean", "low mean", "high mean", "std dev"};
    struct console console = {.line = 0};
    const char *end = text + length;
    char cut[512];
    struct rows_cell line;
    bench->meaning.value = "mean";
    bench->meaning.unit = "ns";
    bench->meaning.remark = "holds one mean per benchmark, not its samples; run it several times to get more";
    bench_label_columns(bench, NULL, NULL);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        bench_column(bench, columns[i]);
    while (!bench->status && rows_line(&text, end, &line)) {
        console.line++;
        console_read_line(bench, &console, console_cut_line(line, cut, sizeof cut));
    }
    if (console.state == MEANS || console.state == DEVIATIONS)
        bench_fail(bench, "breaks off in the figures of '%.60s'", console.name);
    console_drop_name(bench, &console);
    if (console.begun && !console.ended)
        bench->meaning.remark = "breaks off before Catch2's totals, so that benchmarks may be missing; it holds one "
                                "mean per benchmark, not its samples";
    bench_group_labels(bench);
}

bool bench_is_catch2_console(const char *text, size_t length)
{
    char cut[256];
    struct rows_cell line;
    for (const char *end = text + length; rows_line(&text, end, &line);)
        if (*line.text == 'b' && console_is_head(console_cut_line(line, cut, sizeof cut)))
            return true;
    return false;
}
