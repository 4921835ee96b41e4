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
#include "analyze/bench/bench_rows.h"

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

/* "13.5502e6" ns for "13.5502 ms". False if the unit is not one of Catch2's. */
static bool in_ns(const char *number, const char *unit, char *ns, size_t size)
{
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

/* Cuts the last word off a line; "" if there is none. */
static const char *last_word(char *line)
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
static bool last_time(char *line, char *ns, size_t size)
{
    const char *unit = last_word(line), *number = unit > line ? last_word(line) : "";
    return in_ns(number, unit, ns, size);
}

static bool three_times(const char *line, char ns[3][64])
{
    char copy[512];
    snprintf(copy, sizeof copy, "%s", line);
    for (size_t i = 3; i-- > 0;)
        if (!last_time(copy, ns[i], sizeof ns[i]))
            return false;
    return strspn(copy, " \t") == strlen(copy);
}

static bool is_count(const char *word)
{
    return *word && strspn(word, "0123456789") == strlen(word);
}

/* Appends the rest of a line to the name so far, after a blank. */
static void add_to(char *name, size_t size, const char *line, const char *between)
{
    size_t length = strlen(name);
    while (*line == ' ')
        line++;
    snprintf(name + length, size - length, "%s%s", length ? between : "", line);
    for (length = strlen(name); length && isspace((unsigned char)name[length - 1]); length--)
        name[length - 1] = '\0';
}

static void put(struct bench *bench, struct console *console, const char *deviation)
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
static void drop_name(struct bench *bench, struct console *console)
{
    if (console->name[0])
        bench_leave_out(bench, "had no measured value");
    console->name[0] = '\0';
}

static void take_benchmark(struct bench *bench, struct console *console, const char *line)
{
    char copy[512], times[3][64];
    const char *failed = strstr(line, "Benchmark failed (");
    snprintf(copy, sizeof copy, "%s", line);
    if (failed) {
        bench_leave_out(bench, "failed (%.*s)", (int)strcspn(failed + 18, ")"), failed + 18);
        console->name[0] = '\0';
    } else if (console->analysis && three_times(line, times)) {
        bench_fail(bench, "line %zu has times, but the line before does not say of what", console->line);
    } else if (last_time(copy, console->mean[0], sizeof console->mean[0]) && is_count(last_word(copy))) {
        const char *samples = last_word(copy);
        if (!is_count(samples))
            bench_fail(bench, "line %zu: '%.40s' is not a number of samples", console->line, samples);
        snprintf(console->samples, sizeof console->samples, "%.31s", samples);
        add_to(console->name, sizeof console->name, copy, " ");
        if (console->analysis)
            console->state = MEANS;
        else
            put(bench, console, NULL);
    } else {
        add_to(console->name, sizeof console->name, line, " ");
    }
}

static void take_figures(struct bench *bench, struct console *console, const char *line)
{
    char deviation[3][64];
    bool means = console->state == MEANS;
    if (!three_times(line, means ? console->mean : deviation)) {
        bench_fail(bench, "line %zu should hold the %s of '%.60s' and its bounds", console->line,
                   means ? "mean" : "standard deviation", console->name);
        return;
    }
    console->state = means ? DEVIATIONS : BENCHMARKS;
    if (!means)
        put(bench, console, deviation[0]);
}

/* A line of only this character. */
static bool is_rule(const char *line, char c)
{
    size_t length = 0;
    while (line[length] == c)
        length++;
    return length > 20 && strspn(line + length, " \r") == strlen(line + length);
}

static bool is_head(const char *line)
{
    return strncmp(line, "benchmark name ", 15) == 0 && strstr(line, " samples ") && strstr(line, " iterations ");
}

static void take_rule(struct bench *bench, struct console *console, bool dashes)
{
    drop_name(bench, console);
    if (!dashes)
        console->state = OUTSIDE;
    else if (console->state == HEAD)
        console->state = BENCHMARKS;
    else
        console->state = console->state == TITLE ? OUTSIDE : TITLE;
    if (console->state == TITLE)
        console->test[0] = '\0';
    console->ended = console->ended || !dashes;
}

static void take_line(struct bench *bench, struct console *console, const char *line)
{
    char copy[512], times[3][64];
    bool blank = strspn(line, " \t\r") == strlen(line);
    console->begun = console->begun || is_rule(line, '~');
    if (console->state == MEANS || console->state == DEVIATIONS) {
        take_figures(bench, console, line);
    } else if (is_rule(line, '-') || is_rule(line, '=')) {
        take_rule(bench, console, *line == '-');
    } else if (is_head(line)) {
        drop_name(bench, console);
        console->state = HEAD;
        snprintf(copy, sizeof copy, "%s", line);
        console->analysis = strcmp(last_word(copy), "mean") != 0;
    } else if (console->state == BENCHMARKS && blank) {
        drop_name(bench, console);
    } else if (console->state == BENCHMARKS) {
        take_benchmark(bench, console, line);
    } else if (console->state != BENCHMARKS && three_times(line, times)) {
        bench_fail(bench, "line %zu has times, but no table header comes before it", console->line);
    } else if (console->state == TITLE) {
        add_to(console->test, sizeof console->test, line, *line == ' ' ? "/" : " ");
    }
}

/* A copy of a line, cut where it does not fit. */
static const char *cut_line(struct rows_cell line, char *cut, size_t size)
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
        take_line(bench, &console, cut_line(line, cut, sizeof cut));
    }
    if (console.state == MEANS || console.state == DEVIATIONS)
        bench_fail(bench, "breaks off in the figures of '%.60s'", console.name);
    drop_name(bench, &console);
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
        if (*line.text == 'b' && is_head(cut_line(line, cut, sizeof cut)))
            return true;
    return false;
}
