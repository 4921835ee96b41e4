/*
 * The results of BenchExec itself: <result tool="…" version="…" name="…"> with one <run name="task"> per run, and in it
 * <column title="cputime" value="18.07s"/>. Columns get their unit as part of their name, as from table-generator:
 * "cputime (s)". Hidden columns are skipped, as there.
 */
#include "table/import/bench_rows.h"
#include "table/import/bench_xml.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const own[] = {"name", "tool", "run set", "run", NULL};

struct run_set {
    char tool[300], name[256];
};

/* Cuts the unit off a number ("18.07s") and appends it to the title ("cputime (s)"). False if it is not such a number.
 */
static bool benchexec_xml_split_unit(char *value, char *title, size_t size)
{
    char *unit;
    strtod(value, &unit);
    size_t letters = strspn(unit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%"), length = strlen(title);
    if (unit == value || !letters || unit[letters] || !isdigit((unsigned char)unit[-1]))
        return false;
    snprintf(title + length, size - length, " (%s)", unit);
    *unit = '\0';
    return true;
}

/* Calls visit() for each visible column of a run; returns the number of those with a unit. */
static size_t benchexec_xml_each_column(struct bench *bench, const char *run, const char *end,
                                        void (*visit)(struct bench *bench, const char *title, const char *value))
{
    size_t measured = 0;
    char title[128], value[256], hidden[8];
    for (const char *tag = run; (tag = bench_xml_find(tag, end, "<column ")); tag++) {
        bench_xml_attribute(tag, end, "title", title, 96);
        bench_xml_attribute(tag, end, "value", value, sizeof value);
        bench_xml_attribute(tag, end, "hidden", hidden, sizeof hidden);
        if (strcmp(hidden, "true") == 0 || !*title)
            continue;
        measured += benchexec_xml_split_unit(value, title, sizeof title);
        if (visit)
            visit(bench, title, value);
    }
    return measured;
}

static void benchexec_xml_status(const char *run, const char *end, char *status, size_t size)
{
    char title[32];
    for (const char *tag = run; (tag = bench_xml_find(tag, end, "<column ")); tag++) {
        bench_xml_attribute(tag, end, "title", title, sizeof title);
        if (strcmp(title, "status") == 0) {
            bench_xml_attribute(tag, end, "value", status, size);
            return;
        }
    }
    *status = '\0';
}

static void benchexec_xml_set_column(struct bench *bench, const char *title, const char *value)
{
    bench_text(bench, bench_metric(bench, title), value);
}

static void benchexec_xml_read_run(struct bench *bench, const char *tag, const char *end, const struct run_set *set)
{
    char task[400], properties[200], status[64], name[700], key[1350];
    bench_xml_attribute(tag, end, "name", task, sizeof task);
    bench_xml_attribute(tag, end, "properties", properties, sizeof properties);
    snprintf(name, sizeof name, "%s%s%s", task, *properties ? " " : "", properties);
    bench_set_location(bench, "run '%.100s'", name);
    const char *close = bench_xml_find(tag, end, "</run>");
    if (!close) {
        bench_fail(bench, "breaks off: no </run>");
        return;
    }
    snprintf(key, sizeof key, "%zu:%s%zu:%s%s", strlen(name), name, strlen(set->tool), set->tool, set->name);
    size_t run = bench_repeated(bench, key);
    benchexec_xml_status(tag, close, status, sizeof status);
    if (!bench_benchexec_ended(bench, status))
        return;
    if (!benchexec_xml_each_column(bench, tag, close, NULL)) {
        bench_leave_out(bench, "had no measured value");
        return;
    }
    bench_row(bench);
    bench_text(bench, "name", name);
    bench_text(bench, "tool", set->tool);
    bench_text(bench, "run set", set->name);
    bench_count(bench, "run", run);
    benchexec_xml_each_column(bench, tag, close, benchexec_xml_set_column);
}

void bench_read_benchexec_xml(struct bench *bench, const char *text, size_t length)
{
    const char *end = text + length, *result = bench_xml_find(text, end, "<result ");
    struct run_set set = {0};
    bench->own = own;
    for (size_t i = 0; own[i]; i++)
        bench_column(bench, own[i]);
    for (const char *tag = result; tag && !bench->status; tag = bench_xml_find(tag + 1, end, "<")) {
        if (bench_xml_is(tag, end, "<result ")) {
            char version[128], tool[128], error[64];
            bench_xml_attribute(tag, end, "tool", tool, sizeof tool);
            bench_xml_attribute(tag, end, "version", version, sizeof version);
            snprintf(set.tool, sizeof set.tool, "%s%s%s", tool, *version ? " " : "", version);
            if (!bench_xml_attribute(tag, end, "name", set.name, sizeof set.name))
                bench_xml_attribute(tag, end, "benchmarkname", set.name, sizeof set.name);
            if (bench_xml_attribute(tag, end, "error", error, sizeof error))
                bench->meaning.remark = "holds a run set that BenchExec did not finish";
        } else if (bench_xml_is(tag, end, "<run "))
            benchexec_xml_read_run(bench, tag, end, &set);
    }
    bench_set_location(bench, "%s", "");
    if (!bench_xml_find(result, end, "</result>"))
        bench_fail(bench, "breaks off: no </result>");
    if (bench_xml_count(text, end, "<run ") != bench_xml_count(text, end, "</run>"))
        bench_fail(bench, "is damaged: opening and closing run tags don't match in number");
    bench_benchexec_value(bench);
    bench->label_end = 1;
    bench_group_labels(bench);
    bench_group_varying(bench, "tool");
    bench_group_varying(bench, "run set");
}

bool bench_is_benchexec_xml(const char *text, size_t length)
{
    size_t size;
    char name[8];
    const char *line = bench_first_line(text, length, &size), *end = text + length;
    const char *result = size && *line == '<' ? bench_xml_find(line, end, "<result ") : NULL;
    return result && bench_xml_attribute(result, end, "benchmarkname", name, sizeof name);
}
