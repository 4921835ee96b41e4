#include "analyze/frame/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/program/spool.h"

/* ------------------------------------------------------------------------------------------ one input -- */

static const char *metadata_text(const struct trace *trace, const char *key)
{
    const char *text = json_string_value(json_object_get(trace_metadata(trace), key));
    return text ? text : "";
}

/* Traces of one run of one series belong together; a trace without a series is a run of its own. */
static int name_run(struct input *input)
{
    const json_t *metadata = trace_metadata(input->trace), *run = json_object_get(metadata, "run");
    const char *series = metadata_text(input->trace, "series"), *clock = metadata_text(input->trace, "clock");
    int length = *series && json_is_integer(run)
                     ? asprintf(&input->run, "%s/%s/%06lld", series, clock, (long long)json_integer_value(run))
                     : asprintf(&input->run, "%s", input->path);
    if (length < 0)
        input->run = NULL;
    input->view.run = input->run;
    return length < 0 ? -1 : 0;
}

static bool wants(const struct input *input, const struct analyzer *analyzer, unsigned kind)
{
    for (const struct analyzer_input *wanted = analyzer->inputs; wanted->kind; wanted++)
        if (wanted->kind == kind || (wanted->kind == TRACE_SAMPLE && wanted->columns & TRACE_COLUMN(SAMPLE_WEIGHT) &&
                                     trace_selection_takes(&input->selection, kind)))
            return true;
    return false;
}

static int by_thread(const void *a, const void *b, void *trace)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    uint32_t thread_x = trace_chunk_at(trace, x)->thread, thread_y = trace_chunk_at(trace, y)->thread;
    if (thread_x != thread_y)
        return thread_x < thread_y ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int choose_chunks(struct input *input, const struct analyzer *analyzer)
{
    size_t count = trace_chunk_count(input->trace);
    input->wanted = calloc(count + 1, sizeof *input->wanted);
    if (!input->wanted)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const struct trace_chunk *chunk = trace_chunk_at(input->trace, i);
        input->recorded += trace_names_reads(chunk->kind) ? 0 : chunk->count;
        if (wants(input, analyzer, chunk->kind))
            input->wanted[input->wanted_count++] = i;
    }
    qsort_r(input->wanted, input->wanted_count, sizeof *input->wanted, by_thread, input->trace);
    return 0;
}

static int open_trace(struct input *input, const struct settings *settings, struct complaint *complaint)
{
    const char *file = spool_path(input->path);
    if (!file) {
        input->path = "standard input";
        return complain(complaint, STATUS_BAD, "%s", strerror(errno));
    }
    int status = trace_open(file, &input->trace, complaint);
    if (status)
        return status;
    input->loss = *trace_loss(input->trace);
    input->view = (struct analysis_trace){.path = input->path, .trace = input->trace, .names = &input->names};
    input->view.clock = metadata_text(input->trace, "clock");
    if (selection_find(&settings->options.selection, input->trace, &input->selection, complaint) != STATUS_GOOD)
        return STATUS_BAD;
    if (name_run(input) || choose_chunks(input, settings->analyzer))
        return complain(complaint, STATUS_BAD, "out of memory");
    return STATUS_GOOD;
}

static int open_input(struct input *input, char *path, const struct settings *settings, struct complaint *complaint)
{
    *input = (struct input){.path = path};
    pthread_mutex_init(&input->lock, NULL);
    return partial_looks_like(path) ? partial_read(settings, path, &input->partial, complaint)
                                    : open_trace(input, settings, complaint);
}

static void close_input(struct input *input)
{
    if (input->names_loaded)
        trace_names_free(&input->names);
    trace_close(input->trace);
    json_decref(input->partial);
    free(input->far_path);
    free(input->wanted);
    free(input->run);
    pthread_mutex_destroy(&input->lock);
}

int input_acquire(struct input *input)
{
    int status = 0;
    pthread_mutex_lock(&input->lock);
    if (!input->names_loaded) {
        status = trace_names_load(input->trace, &input->names, &input->loss);
        input->names_loaded = status == 0;
        if (status == 0)
            ticks_count(input->trace, &input->names, &input->loss, &input->ticks);
    }
    pthread_mutex_unlock(&input->lock);
    return status;
}

void input_release(struct input *input)
{
    pthread_mutex_lock(&input->lock);
    if (--input->parts_left == 0 && input->names_loaded) {
        trace_names_free(&input->names);
        input->names_loaded = false;
    }
    pthread_mutex_unlock(&input->lock);
}

/* ------------------------------------------------------------------------------------------ all inputs -- */

static int add_part(struct inputs *inputs, struct input *input, size_t first, size_t count)
{
    struct part *parts = realloc(inputs->parts, (inputs->part_count + 1) * sizeof *parts);
    if (!parts)
        return -1;
    inputs->parts = parts;
    parts[inputs->part_count++] = (struct part){input, first, count};
    input->parts_left++;
    return 0;
}

/* Whether the next wanted chunk is of the same stream. */
static bool goes_on(const struct input *input, size_t i)
{
    return i + 1 < input->wanted_count && trace_chunk_at(input->trace, input->wanted[i])->thread ==
                                              trace_chunk_at(input->trace, input->wanted[i + 1])->thread;
}

static int cut_into_parts(struct inputs *inputs, struct input *input, const struct settings *settings)
{
    size_t first = 0;
    uint64_t records = 0;
    for (size_t i = 0; i < input->wanted_count; i++) {
        records += trace_chunk_at(input->trace, input->wanted[i])->count;
        if (records < settings->part_records || (settings->analyzer->whole_streams && goes_on(input, i)))
            continue;
        if (add_part(inputs, input, first, i + 1 - first))
            return -1;
        first = i + 1;
        records = 0;
    }
    /* Even a trace without a record is a run, so it gets a part. */
    if (first < input->wanted_count || input->parts_left == 0)
        return add_part(inputs, input, first, input->wanted_count - first);
    return 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void inputs_sort(struct settings *settings)
{
    size_t kept = 0;
    struct stat *files = calloc(settings->common.path_count + 1, sizeof *files);
    qsort(settings->common.paths, settings->common.path_count, sizeof *settings->common.paths, by_path);
    for (size_t i = 0; files && i < settings->common.path_count; i++) {
        size_t twin = 0;
        bool exists = stat(settings->common.paths[i], &files[kept]) == 0;
        while (twin < kept && exists &&
               (files[twin].st_dev != files[kept].st_dev || files[twin].st_ino != files[kept].st_ino))
            twin++;
        if (!exists)
            files[kept] = (struct stat){0};
        if (exists && twin < kept)
            frame_complain(settings, "%s: is the same file as %s; it counts once", settings->common.paths[i],
                           settings->common.paths[twin]);
        if (!exists || twin == kept)
            settings->common.paths[kept++] = settings->common.paths[i];
    }
    settings->common.path_count = files ? kept : settings->common.path_count;
    free(files);
}

int inputs_open(struct inputs *inputs, const struct settings *settings)
{
    *inputs = (struct inputs){.items = calloc(settings->common.path_count + 1, sizeof *inputs->items)};
    if (!inputs->items)
        return -1;
    for (size_t i = 0; i < settings->common.path_count; i++) {
        struct input *input = &inputs->items[inputs->count];
        struct complaint complaint;
        if (open_input(input, settings->common.paths[i], settings, &complaint) != 0) {
            frame_complain(settings, "%s: %s", input->path, complaint.text);
            close_input(input);
            inputs->unreadable++;
            continue;
        }
        inputs->count++;
    }
    for (size_t i = 0; i < inputs->count; i++)
        if (cut_into_parts(inputs, &inputs->items[i], settings))
            return -1;
    return 0;
}

void inputs_close(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        close_input(&inputs->items[i]);
    free(inputs->items);
    free(inputs->parts);
}
