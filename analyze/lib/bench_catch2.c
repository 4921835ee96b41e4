/*
 * What Catch2's XML reporter writes of its benchmarks: <BenchmarkResults name="…" samples="100"> with <mean value="…"/>
 * in it, in nanoseconds, inside <TestCase name="…">. There is one mean a benchmark; samples are not kept.
 */
#include "analyze/lib/bench_rows.h"

#include <stdlib.h>
#include <string.h>

/* The value of an attribute of the tag that begins at `tag`, with the five entities of XML; false if it has none. */
static bool attribute(const char *tag, const char *end, const char *name, char *value, size_t size)
{
    static const struct {
        const char *entity;
        char c;
    } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    const char *close = memchr(tag, '>', (size_t)(end - tag));
    char key[32];
    size_t length = (size_t)snprintf(key, sizeof key, " %s=\"", name), used = 0;
    const char *at = close ? memmem(tag, (size_t)(close - tag), key, length) : NULL;
    if (!at)
        return false;
    for (at += length; at < end && *at != '"' && used + 1 < size; at++) {
        value[used] = *at;
        for (size_t i = 0; *at == '&' && i < sizeof entities / sizeof *entities; i++)
            if ((size_t)(end - at) >= strlen(entities[i].entity) &&
                strncmp(at, entities[i].entity, strlen(entities[i].entity)) == 0) {
                value[used] = entities[i].c;
                at += strlen(entities[i].entity) - 1;
                break;
            }
        used++;
    }
    value[used] = '\0';
    return true;
}

static const char *tag_after(const char *from, const char *end, const char *tag)
{
    return from < end ? memmem(from, (size_t)(end - from), tag, strlen(tag)) : NULL;
}

static void read_results(struct bench *bench, const char *tag, const char *end, const char *test)
{
    char name[256] = "", value[64], samples[32] = "", full[600], *number_end;
    const char *close = tag_after(tag, end, "</BenchmarkResults>"),
               *mean = tag_after(tag, close ? close : end, "<mean ");
    attribute(tag, end, "name", name, sizeof name);
    attribute(tag, end, "samples", samples, sizeof samples);
    snprintf(full, sizeof full, "%s%s%s", test, *test ? "/" : "", name);
    bench_place(bench, "benchmark '%.100s'", full);
    if (!mean || !attribute(mean, end, "value", value, sizeof value)) {
        bench_leave_out(bench, "left no measured value");
        return;
    }
    strtod(value, &number_end);
    if (number_end == value || *number_end)
        bench_fail(bench, "its mean '%.40s' is no number", value);
    bench_row(bench);
    bench_text(bench, "name", full);
    bench_count(bench, "run", bench_repeated(bench, full));
    bench_text(bench, "samples", samples);
    bench_text(bench, "mean", value);
}

void bench_read_catch2(struct bench *bench, const char *text, size_t length)
{
    const char *end = text + length;
    char test[300] = "";
    bench->meaning.value = "mean";
    bench->meaning.unit = "ns";
    bench->meaning.remark = "holds one mean a benchmark and not its samples; run it several times to have more";
    bench_label_columns(bench, NULL, NULL);
    bench_column(bench, "run");
    for (const char *tag = memchr(text, '<', length); tag && !bench->status; tag = tag_after(tag + 1, end, "<")) {
        if ((size_t)(end - tag) > 10 && strncmp(tag, "<TestCase ", 10) == 0)
            attribute(tag, end, "name", test, sizeof test);
        else if ((size_t)(end - tag) > 18 && strncmp(tag, "<BenchmarkResults ", 18) == 0)
            read_results(bench, tag, end, test);
    }
    bench_place(bench, "%s", "");
    bench_group_labels(bench);
}

bool bench_is_catch2(const char *text, size_t length)
{
    size_t start = 0;
    while (start < length && strchr(" \t\r\n", text[start]))
        start++;
    return start < length && text[start] == '<' &&
           (memmem(text, length, "<Catch", 6) || memmem(text, length, "<BenchmarkResults ", 18));
}
