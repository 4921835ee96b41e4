/*
 * The output of Catch2's XML reporter for benchmarks: <BenchmarkResults name="…" samples="100"> with <mean value="…"/>
 * in it, in nanoseconds, inside <TestCase name="…"> and any <Section name="…">. There is one mean per benchmark;
 * samples are not kept.
 */
#include "table/import/bench_rows.h"
#include "table/import/bench_xml.h"

#include <stdlib.h>
#include <string.h>

enum { SECTIONS_MAX = 16 };

static void catch2_read_results(struct bench *bench, const char *tag, const char *end, const char *test)
{
    char name[256], value[64], samples[32], full[900], *number_end;
    const char *close = bench_xml_find(tag, end, "</BenchmarkResults>"),
               *mean = bench_xml_find(tag, close ? close : tag, "<mean ");
    bench_xml_attribute(tag, end, "name", name, sizeof name);
    bench_xml_attribute(tag, end, "samples", samples, sizeof samples);
    snprintf(full, sizeof full, "%s%s%s", test, *test ? "/" : "", name);
    bench_subject(bench, full);
    if (!close) {
        bench_fail(bench, "breaks off: no </BenchmarkResults>");
        return;
    }
    if (!mean || !bench_xml_attribute(mean, end, "value", value, sizeof value)) {
        bench_leave_out(bench, "had no measured value");
        return;
    }
    strtod(value, &number_end);
    if (number_end == value || *number_end)
        bench_fail(bench, "its mean '%.40s' is not a number", value);
    bench_row(bench);
    bench_text(bench, "name", full);
    bench_count(bench, "run", bench_repeated(bench, full));
    bench_text(bench, "samples", samples);
    bench_text(bench, "mean", value);
}

/* The open test case and its open sections, joined by /. */
struct path {
    char text[600];
    size_t length[SECTIONS_MAX + 1]; /* length of the text without the section of that depth, from 1 */
    size_t depth;
};

void bench_read_catch2(struct bench *bench, const char *text, size_t length)
{
    const char *end = text + length;
    struct path path = {0};
    bench->meaning.value = "mean";
    bench->meaning.unit = "ns";
    bench->meaning.remark = "holds one mean per benchmark, not its samples; run it several times to get more";
    bench_label_columns(bench, NULL, NULL);
    bench_column(bench, "run");
    for (const char *tag = memchr(text, '<', length); tag && !bench->status; tag = bench_xml_find(tag + 1, end, "<")) {
        if (bench_xml_is(tag, end, "<TestCase ")) {
            path.depth = 0;
            bench_xml_attribute(tag, end, "name", path.text, sizeof path.text);
        } else if (bench_xml_is(tag, end, "<Section ")) {
            char name[256];
            bench_xml_attribute(tag, end, "name", name, sizeof name);
            if (path.depth != SECTIONS_MAX) {
                size_t around = path.length[++path.depth] = strlen(path.text);
                snprintf(path.text + around, sizeof path.text - around, "/%s", name);
            }
        } else if (bench_xml_is(tag, end, "</Section>")) {
            if (path.depth)
                path.text[path.length[path.depth--]] = '\0';
        } else if (bench_xml_is(tag, end, "<BenchmarkResults ")) {
            catch2_read_results(bench, tag, end, path.text);
        }
    }
    /* In the output of a program that died, or a file that was cut, elements stay open. */
    bench_set_location(bench, "%s", "");
    if (bench_xml_count(text, end, "<Catch") != bench_xml_count(text, end, "</Catch"))
        bench_fail(bench, "breaks off: its outermost element is not closed");
    if (bench_xml_count(text, end, "<BenchmarkResults ") != bench_xml_count(text, end, "</BenchmarkResults>"))
        bench_fail(bench, "is damaged: opening and closing BenchmarkResults tags don't match in number");
    bench_group_labels(bench);
}

bool bench_is_catch2(const char *text, size_t length)
{
    size_t start = 0;
    while (start < length && strchr(" \t\r\n", text[start]))
        start++;
    return start < length && text[start] == '<' &&
           (bench_xml_find(text, text + length, "<Catch") || bench_xml_find(text, text + length, "<BenchmarkResults "));
}
