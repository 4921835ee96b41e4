/*
 * fake_agent.c - replaces the native agent in the recorder's tests: a constructor that writes one trace of one thread,
 * without sampling anything. FAKE_AGENT in the environment:
 *   (unset)     a finished trace; its thread used FAKE_CPU_NS of CPU time (default 10^15: more than any run)
 *   unfinished  a trace that is never finished, as after kill -9
 *   damaged     a file that is not a trace
 *   nothing     no trace
 * FAKE_SAMPLES: the number of samples in the trace (default 0).
 * FAKE_FIRST_RUN: runs with smaller numbers leave no trace.
 * FAKE_LOG: a file to which ASSAY_RECORD is appended, one line per process.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/trace.h"

static json_t *configuration(void)
{
    const char *text = getenv("ASSAY_RECORD");
    return text ? json_loads(text, 0, NULL) : NULL;
}

static void name_trace(const json_t *record, char *path, size_t size)
{
    const char *directory = json_string_value(json_object_get(record, "directory"));
    const char *prefix = json_string_value(json_object_get(record, "prefix"));
    snprintf(path, size, "%s/%s-%d.trace", directory, prefix, (int)getpid());
    for (int i = 1; access(path, F_OK) == 0; i++) /* after an exec */
        snprintf(path, size, "%s/%s-%d.%d.trace", directory, prefix, (int)getpid(), i);
}

static void write_trace(const char *path, const json_t *record, bool finish)
{
    struct trace_writer_options options = {.flush_ns = 1000000};
    struct trace_writer *writer;
    struct trace_stream *stream = NULL;
    const char *cpu = getenv("FAKE_CPU_NS"), *samples = getenv("FAKE_SAMPLES");
    const uint64_t values[SAMPLE_WEIGHT] = {[SAMPLE_TIME] = 1, [SAMPLE_CPU] = 1, [SAMPLE_STATE] = STATE_NATIVE};
    struct trace_thread_update update = {.last_ns = 1, .last_cpu_ns = cpu ? strtoull(cpu, NULL, 10) : 1000000000000000};
    if (trace_create(path, record, &options, &writer) != 0)
        return;
    if (trace_stream_open(writer, (uint64_t)gettid(), "fake", ROLE_NATIVE, &stream) == 0)
        trace_stream_update(stream, &update);
    for (unsigned long i = samples ? strtoul(samples, NULL, 10) : 0; i > 0 && stream; i--)
        while (!trace_append(stream, TRACE_SAMPLE, values, sizeof values / sizeof *values))
            usleep(1000);
    if (finish)
        trace_finish(writer);
}

static void write_log(void)
{
    const char *path = getenv("FAKE_LOG");
    FILE *log = path ? fopen(path, "ae") : NULL;
    if (log)
        fprintf(log, "%s\n", getenv("ASSAY_RECORD"));
    if (log)
        fclose(log);
}

__attribute__((constructor)) static void fake_agent(void)
{
    const char *how = getenv("FAKE_AGENT"), *first = getenv("FAKE_FIRST_RUN");
    char path[8192];
    json_t *record = configuration();
    bool early = first && json_integer_value(json_object_get(record, "run")) < atoi(first);
    if (!record || early || (how && strcmp(how, "nothing") == 0))
        return;
    write_log();
    name_trace(record, path, sizeof path);
    if (how && strcmp(how, "damaged") == 0)
        close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    else
        write_trace(path, record, !how || strcmp(how, "unfinished") != 0);
}
