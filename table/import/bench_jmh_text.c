/*
 * JMH's other outputs. -rf csv has one mean per benchmark: "Benchmark","Mode","Threads","Samples","Score","Score Error
 * (99.9%)","Unit","Param: size". What it prints (and -o keeps) has each iteration below "# Benchmark: NAME".
 */
#include "table/import/bench_rows.h"

#include <stdlib.h>
#include <string.h>

static const char *const own[] = {"name", "mode", "threads", "fork", "iteration", "run", "score", "unit", NULL};

/* ---------------------------------------------------------------------------- -rf csv -- */

enum { COLUMNS_MAX = 64 };

struct jmh_columns {
    char names[COLUMNS_MAX][80];
    size_t count;
};

/* The cell below a header; "" if there is none. */
static const char *jmh_csv_cell(const struct jmh_columns *columns, const struct bench_cells *cells, const char *name,
                                char *text, size_t size)
{
    size_t at = 0;
    while (at < columns->count && strcmp(columns->names[at], name) != 0)
        at++;
    return bench_cell(cells, at < columns->count ? at : SIZE_MAX, text, size);
}

static void jmh_csv_read_line(struct bench *bench, const struct bench_cells *cells, void *user)
{
    static const char param[] = "Param: ";
    struct jmh_columns *columns = user;
    if (columns->count > 0) {
        char text[512], score[64];
        bench_subject(bench, jmh_csv_cell(columns, cells, "Benchmark", text, sizeof text));
        if (!bench_is_number(jmh_csv_cell(columns, cells, "Score", score, sizeof score)) || strcmp(score, "NaN") == 0) {
            bench_leave_out(bench, "had no score");
        } else {
            bench_row(bench);
            bench_text(bench, "name", text);
            for (size_t i = 0; i < columns->count; i++)
                if (strncmp(columns->names[i], param, sizeof param - 1) == 0)
                    bench_text(bench, bench_label(bench, columns->names[i] + sizeof param - 1),
                               bench_cell(cells, i, text, sizeof text));
            bench_text(bench, "mode", jmh_csv_cell(columns, cells, "Mode", text, sizeof text));
            bench_text(bench, "threads", jmh_csv_cell(columns, cells, "Threads", text, sizeof text));
            bench_text(bench, "score", score);
            bench_text(bench, "unit", jmh_csv_cell(columns, cells, "Unit", text, sizeof text));
        }
        return;
    }
    columns->count = cells->count < COLUMNS_MAX ? cells->count : COLUMNS_MAX;
    for (size_t i = 0; i < columns->count; i++) {
        bench_cell(cells, i, columns->names[i], sizeof columns->names[i]);
        if (strncmp(columns->names[i], param, sizeof param - 1) == 0)
            bench_column(bench, bench_label(bench, columns->names[i] + sizeof param - 1));
    }
    bench->label_end = bench->csv->column_count;
}

static void jmh_text_group(struct bench *bench)
{
    bench_group_labels(bench);
    bench_group_varying(bench, "mode");
    bench_group_varying(bench, "threads");
    bench_group_unit(bench);
}

void bench_read_jmh_csv(struct bench *bench, const char *text, size_t length)
{
    struct jmh_columns columns = {.count = 0};
    bench->own = own;
    bench->meaning.value = "score";
    bench->meaning.remark = "holds one mean per benchmark; -rf json has each iteration";
    bench_label_columns(bench, NULL, NULL);
    /* Its decimal separator follows the locale; then JMH separates cells by semicolons. */
    char delimiter = bench_begins(text, length, "\"Benchmark\";", NULL) ? ';' : ',';
    bench_cut(bench, text, length, delimiter, jmh_csv_read_line, &columns);
    jmh_text_group(bench);
}

/* ---------------------------------------------------------------------------- what it prints -- */

struct log {
    char name[300], mode[80], parameters[512];
    size_t threads, fork, run;
};

/* What follows "# KEY: " in the line; NULL for another line. */
static const char *jmh_log_value(const char *line, const char *key)
{
    size_t length = strlen(key);
    return strncmp(line, "# ", 2) == 0 && strncmp(line + 2, key, length) == 0 && line[2 + length] == ':'
               ? line + 2 + length + 1 + strspn(line + 2 + length + 1, " ")
               : NULL;
}

/* Calls visit() for each part of "(size = 100, kind = a)". */
static void jmh_log_each_parameter(struct bench *bench, const char *parameters,
                                   void (*visit)(struct bench *bench, const char *name, const char *value))
{
    char copy[sizeof((struct log *)0)->parameters], *rest, *part;
    snprintf(copy, sizeof copy, "%s", parameters + (*parameters == '('));
    copy[strcspn(copy, ")")] = '\0';
    for (part = strtok_r(copy, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        char *value = strstr(part, " = ");
        part += strspn(part, " ");
        if (!value || value <= part)
            continue;
        *value = '\0';
        visit(bench, bench_label(bench, part), value + 3);
    }
}

static void jmh_log_add_column(struct bench *bench, const char *name, const char *value)
{
    (void)value;
    bench_column(bench, name);
}

/* What follows "Iteration", in "Iteration   3: 12.345 ns/op", maybe with an error "±(99.9%) 0.1" between. */
static void jmh_log_add_iteration(struct bench *bench, struct log *log, const char *text)
{
    char *end, unit[64] = "";
    size_t iteration = strtoul(text, &end, 10);
    if (*end != ':')
        return;
    const char *from = end + 1 + strspn(end + 1, " ");
    double score = strtod(from, &end);
    if (end == from || *end != ' ') {
        bench_leave_out(bench, "had no score");
        return;
    }
    const char *last = strrchr(end, ' ');
    snprintf(unit, sizeof unit, "%s", last + 1);
    bench_row(bench);
    bench_text(bench, "name", log->name);
    jmh_log_each_parameter(bench, log->parameters, bench_text);
    bench_text(bench, "mode", log->mode);
    bench_count(bench, "threads", log->threads);
    bench_count(bench, "fork", log->fork);
    bench_count(bench, "iteration", iteration);
    bench_count(bench, "run", ++log->run);
    bench_real(bench, "score", score);
    bench_text(bench, "unit", unit);
}

static void jmh_log_read_line(struct bench *bench, struct log *log, const char *line)
{
    static const char iteration[] = "Iteration ", warmup[] = "# Warmup Iteration ";
    const char *text;
    if ((text = jmh_log_value(line, "Benchmark"))) { /* JMH prints mode and threads before the name */
        snprintf(log->name, sizeof log->name, "%s", text);
        *log->parameters = '\0';
        log->fork = log->run = 0;
        bench_subject(bench, text);
    } else if ((text = jmh_log_value(line, "Benchmark mode")))
        snprintf(log->mode, sizeof log->mode, "%.*s", (int)strcspn(text, ","), text);
    else if ((text = jmh_log_value(line, "Parameters")))
        snprintf(log->parameters, sizeof log->parameters, "%s", text);
    else if ((text = jmh_log_value(line, "Threads")))
        log->threads = strtoul(text, NULL, 10);
    else if ((text = jmh_log_value(line, "Fork")))
        log->fork = strtoul(text, NULL, 10);
    else if (*log->name && strncmp(line, iteration, strlen(iteration)) == 0)
        jmh_log_add_iteration(bench, log, line + strlen(iteration));
    else if (*log->name && bench->warmups && strncmp(line, warmup, strlen(warmup)) == 0)
        jmh_log_add_iteration(bench, log, line + strlen(warmup));
}

/* Whatever takes lines of the text, without their ends. */
static void jmh_log_each_line(struct bench *bench, const char *text, size_t length, struct log *log,
                              void (*visit)(struct bench *bench, struct log *log, const char *line))
{
    struct rows_cell line;
    char copy[1024];
    for (const char *end = text + length; !bench->status && rows_line(&text, end, &line);) {
        snprintf(copy, sizeof copy, "%.*s", (int)line.length, line.text);
        copy[strcspn(copy, "\r")] = '\0';
        visit(bench, log, copy);
    }
}

static void jmh_log_read_columns(struct bench *bench, struct log *log, const char *line)
{
    const char *text = jmh_log_value(line, "Parameters");
    (void)log;
    if (text)
        jmh_log_each_parameter(bench, text, jmh_log_add_column);
}

void bench_read_jmh_log(struct bench *bench, const char *text, size_t length)
{
    struct log log = {.threads = 1};
    bench->own = own;
    bench->meaning.value = "score";
    bench->meaning.process = "fork";
    bench_label_columns(bench, NULL, NULL);
    jmh_log_each_line(bench, text, length, &log, jmh_log_read_columns);
    bench->label_end = bench->csv->column_count;
    jmh_log_each_line(bench, text, length, &log, jmh_log_read_line);
    bench_set_location(bench, "%s", "");
    if (!bench->csv->row_count && !bench->left_out)
        bench_fail(bench, "no iterations: it is only the end of what JMH prints; -rf json keeps each iteration");
    jmh_text_group(bench);
}

bool bench_is_jmh_log(const char *text, size_t length)
{
    static const char version[] = "# JMH version: ", benchmark[] = "# Benchmark: ";
    size_t looked = length < 65536 ? length : 65536;
    return (length >= sizeof version - 1 && memcmp(text, version, sizeof version - 1) == 0) ||
           (memmem(text, looked, version, sizeof version - 1) && memmem(text, looked, benchmark, sizeof benchmark - 1));
}
