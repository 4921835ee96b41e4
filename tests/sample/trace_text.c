/*
 * trace_text - a trace as lines of text, for tests:
 *   meta {…}
 *   whole | unfinished
 *   damage TEXT
 *   lost CAUSE COUNT
 *   module ID PATH BUILD-ID
 *   thread ID TID NAME FIRST-NS FIRST-CPU-NS LAST-NS LAST-CPU-NS
 *   sample THREAD TIME-NS CPU-NS TICK STATE METHOD:FILE:LINE<METHOD…   (innermost first)
 */
#include <stdio.h>
#include <stdlib.h>

#include "trace/trace.h"

static void print_stack(const struct trace_names *names, uint64_t context)
{
    for (const char *mark = ""; context != 0; context = trace_names_context(names, context)->parent, mark = "<") {
        const struct trace_method *method = trace_names_method(names, context);
        const struct trace_frame *frame = &names->frames[trace_names_context(names, context)->frame];
        printf("%s%s:%s:%u", mark, method->name, method->file, frame->line);
    }
    putchar('\n');
}

static void print_samples(const struct trace *trace, const struct trace_names *names, const struct trace_chunk *chunk,
                          const struct trace_batch *batch)
{
    (void)trace;
    for (size_t i = 0; i < batch->count; i++) {
        printf("sample %u %lu %lu %lu %s ", chunk->thread, batch->integers[SAMPLE_TIME][i],
               batch->integers[SAMPLE_CPU][i], batch->integers[SAMPLE_TICK][i],
               trace_state_name((unsigned)batch->integers[SAMPLE_STATE][i]));
        print_stack(names, batch->integers[SAMPLE_CONTEXT][i]);
    }
}

static void print_names(const struct trace_names *names)
{
    for (size_t i = 1; i < names->module_count; i++)
        printf("module %zu %s %s\n", i, names->modules[i].path, names->modules[i].build_id);
    for (size_t i = 1; i < names->thread_count; i++) {
        const struct trace_thread *thread = &names->threads[i];
        printf("thread %zu %lu %s %lu %lu %lu %lu\n", i, thread->tid, thread->name, thread->first_ns,
               thread->first_cpu_ns, thread->last_ns, thread->last_cpu_ns);
    }
}

static int print(const char *path)
{
    struct trace *trace;
    struct error_text problem;
    struct trace_names names;
    if (trace_open(path, &trace, &problem) != 0) {
        printf("damage %s\n", problem.text);
        return 1;
    }
    struct trace_loss loss = *trace_loss(trace);
    if (trace_names_load(trace, &names, &loss) != 0)
        return 1;
    char *text = json_dumps(trace_metadata(trace), JSON_SORT_KEYS);
    printf("meta %s\n%s\n", text, trace_has_index(trace) ? "whole" : "unfinished");
    print_names(&names);
    struct trace_batch batch = {0};
    for (size_t i = 0; i < trace_chunk_count(trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, i);
        if (chunk->kind != TRACE_SAMPLE)
            continue;
        if (trace_read(trace, i, TRACE_ALL_COLUMNS, &batch, &problem) == 0)
            print_samples(trace, &names, chunk, &batch);
        else
            trace_loss_chunk(&loss, chunk, &problem);
    }
    for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++)
        if (loss.dropped[cause] > 0)
            printf("lost %s %lu\n", trace_cause_name(cause), loss.dropped[cause]);
    if (loss.bytes || loss.chunks)
        printf("damage %s\n", loss.first.text);
    trace_batch_free(&batch);
    trace_names_free(&names);
    trace_close(trace);
    free(text);
    return 0;
}

int main(int argc, char **argv)
{
    int status = 0;
    for (int i = 1; i < argc; i++)
        status |= print(argv[i]);
    return status;
}
