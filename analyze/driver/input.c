#include "analyze/driver/conditions.h"
#include "analyze/driver/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/opened.h"
#include "analyze/cli/trace_paths.h"

/* ------------------------------------------------------------------------------------------ one input -- */

static const char *input_metadata_text(const struct trace *trace, const char *key)
{
    const char *text = json_string_value(json_object_get(trace_metadata(trace), key));
    return text ? text : "";
}

static int input_compare_threads(const void *a, const void *b, void *trace)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    uint32_t thread_x = trace_chunk_at(trace, x)->thread, thread_y = trace_chunk_at(trace, y)->thread;
    if (thread_x != thread_y)
        return thread_x < thread_y ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Takes the trace, which has what is asked for, from its owner. 0, or -1 without memory. */
static int input_use_trace(struct input *input, struct trace **taken, const char *file, const struct settings *settings)
{
    struct error_text unused;
    struct trace *trace = input->trace = *taken;
    *taken = NULL;
    input->loss = *trace_loss(trace);
    input->view = (struct analysis_trace){.path = input->path, .trace = trace};
    input->view.clock = input_metadata_text(trace, "clock");
    selection_find(&settings->options.selection, trace, &input->selection, &unused);

    /* Traces of one run of one series belong together; a trace without a series is of its file's run. The length and
     * the slash at the end distinguish what these texts join, and a series from a file. */
    const json_t *run = json_object_get(trace_metadata(trace), "run");
    const char *series = input_metadata_text(trace, "series");
    int length = *series && json_is_integer(run) ? asprintf(&input->run, "%s/%s/%06lld/%zu/", series, input->view.clock,
                                                            (long long)json_integer_value(run), strlen(series))
                                                 : asprintf(&input->run, "%s", file);
    if (length < 0)
        input->run = NULL;
    input->view.run = input->run;
    if (settings->analyzer->pools)
        input->conditions = conditions_of_trace(&input->view);

    size_t count = trace_chunk_count(trace);
    input->wanted = calloc(count + 1, sizeof *input->wanted);
    if (length < 0 || !input->wanted || (settings->analyzer->pools && !input->conditions))
        return -1;
    for (size_t i = 0; i < count; i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, i);
        bool wanted = false;
        input->recorded += trace_names_reads(chunk->kind) ? 0 : chunk->count;
        for (const struct analyzer_input *each = settings->analyzer->inputs; each->kind && !wanted; each++)
            wanted = each->kind == chunk->kind ||
                     (each->kind == TRACE_SAMPLE && each->columns & TRACE_COLUMN(SAMPLE_WEIGHT) &&
                      trace_selection_takes(&input->selection, chunk->kind));
        if (wanted)
            input->wanted[input->wanted_count++] = i;
    }
    qsort_r(input->wanted, input->wanted_count, sizeof *input->wanted, input_compare_threads, trace);
    return 0;
}

static struct input *inputs_add(struct inputs *inputs, char *path)
{
    struct input *items = realloc(inputs->items, (inputs->count + 1) * sizeof *items);
    if (!items)
        return NULL;
    inputs->items = items;
    struct input *input = &items[inputs->count++];
    *input = (struct input){.path = path};
    return input;
}

/* Whether the trace has samples, or the analyzer reads nothing else: it then lacks a weight that was asked for. */
static bool input_has_samples(const struct trace *trace, const struct analyzer *analyzer)
{
    bool others = analyzer->inputs[0].kind != TRACE_SAMPLE || analyzer->inputs[1].kind != 0, samples = !others;
    for (size_t i = 0; !samples && i < trace_chunk_count(trace); i++)
        samples = trace_chunk_at(trace, i)->kind == TRACE_SAMPLE;
    return samples;
}

/* The traces of one file. A profile of several processes is one run. STATUS_BAD with a message: one of them lacks
 * what is asked for, and none is added. */
static int inputs_add_traces(struct inputs *inputs, char *path, struct opened *opened, const struct settings *settings,
                             struct error_text *message)
{
    struct trace_selection unused;
    for (size_t i = 0; i < opened->count; i++)
        if (input_has_samples(opened->traces[i], settings->analyzer) &&
            selection_find(&settings->options.selection, opened->traces[i], &unused, message) != STATUS_GOOD)
            return STATUS_BAD;
    for (size_t i = 0; i < opened->count; i++) {
        struct input *input = inputs_add(inputs, path);
        if (!input)
            return -1;
        input->is_member = opened->count > 1;
        if (input->is_member)
            input->path = input->own_path = strdup(trace_path(opened->traces[i]));
        if (!input->path || input_use_trace(input, &opened->traces[i], path, settings))
            return -1;
        /* The messages of an import go with its first trace; the others count as damaged, too, since any may be. */
        if (opened->imported)
            input->loss.unfinished |= *opened->damage.text != '\0';
        if (opened->imported && i == 0) {
            input->damage = opened->damage;
            input->note = opened->note;
        }
    }
    return 0;
}

/* STATUS_GOOD; STATUS_BAD with a message: this file is not in the result; -1 without memory. */
static int inputs_open_path(struct inputs *inputs, char *path, const struct settings *settings,
                            struct error_text *message)
{
    struct opened opened = {.traces = NULL};
    json_t *partial = NULL;
    if (partial_looks_like(path)) {
        if (partial_read(settings, path, &partial, message) != STATUS_GOOD)
            return STATUS_BAD;
        struct input *input = inputs_add(inputs, path);
        if (input) {
            input->partial = partial;
            input->conditions = json_incref(json_object_get(partial, "conditions"));
        }
        return input ? STATUS_GOOD : -1;
    }
    const struct opened_options options = {settings->profile,
                                           settings->analyzer->raw_names && *settings->analyzer->raw_names,
                                           &settings->options.selection};
    if (opened_open(path, &options, &opened, message) != STATUS_GOOD)
        return STATUS_BAD;
    int status = inputs_add_traces(inputs, path, &opened, settings, message);
    opened_close(&opened);
    return status;
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

static int inputs_add_part(struct inputs *inputs, struct input *input, size_t first, size_t count)
{
    struct part *parts = realloc(inputs->parts, (inputs->part_count + 1) * sizeof *parts);
    if (!parts)
        return -1;
    inputs->parts = parts;
    parts[inputs->part_count++] = (struct part){input, first, count};
    input->parts_left++;
    return 0;
}

static int inputs_cut_into_parts(struct inputs *inputs, struct input *input, const struct settings *settings)
{
    size_t first = 0;
    uint64_t records = 0;
    for (size_t i = 0; i < input->wanted_count; i++) {
        const struct trace_chunk *chunk = trace_chunk_at(input->trace, input->wanted[i]);
        bool continues =
            i + 1 < input->wanted_count && trace_chunk_at(input->trace, input->wanted[i + 1])->thread == chunk->thread;
        records += chunk->count;
        if (records < settings->part_records || (settings->analyzer->whole_streams && continues))
            continue;
        if (inputs_add_part(inputs, input, first, i + 1 - first))
            return -1;
        first = i + 1;
        records = 0;
    }
    /* Even a trace without a record is a run, so it gets a part. */
    if (first < input->wanted_count || input->parts_left == 0)
        return inputs_add_part(inputs, input, first, input->wanted_count - first);
    return 0;
}

/* ------------------------------------------------------------------------------------------ directories -- */

/* Adds the path of a trace, which the settings own from now on. False without memory. */
static bool inputs_add_trace(struct settings *settings, char *path)
{
    struct common *common = &settings->common;
    char **paths = realloc(common->paths, (common->path_count + 1) * sizeof *paths);
    if (paths)
        common->paths = paths;
    char **owned = realloc(settings->owned_paths, (settings->owned_count + 1) * sizeof *owned);
    if (owned)
        settings->owned_paths = owned;
    if (!paths || !owned) {
        free(path);
        return false;
    }
    owned[settings->owned_count++] = paths[common->path_count++] = path;
    return true;
}

/* Adds the traces of a directory, if it is one and they are `wanted`. Returns their number, or -1 without memory. */
static int inputs_add_directory(struct settings *settings, const char *directory, bool wanted)
{
    char **paths;
    bool full = false;
    int count = trace_paths_list(directory, &paths);
    for (int i = 0; i < count; i++) {
        if (wanted && !full)
            full = !inputs_add_trace(settings, paths[i]);
        else
            free(paths[i]);
    }
    free(paths);
    return full ? -1 : count;
}

/* The same for the analyzer's folder in a directory. */
static int inputs_add_folder(struct settings *settings, const char *directory)
{
    const struct analyzer *analyzer = settings->analyzer;
    if (!analyzer->folder)
        return 0;
    char *folder = trace_paths_join(directory, analyzer->folder);
    int count = folder ? inputs_add_directory(settings, folder, analyzer->wants_folder) : -1;
    settings->options.folder_left_out |= count > 0 && !analyzer->wants_folder;
    free(folder);
    return count;
}

int inputs_expand_directories(struct settings *settings)
{
    struct common *common = &settings->common;
    size_t given = common->path_count, kept = 0;
    bool full = false;
    for (size_t i = 0; i < given && !full; i++) {
        const char *directory = common->paths[i];
        int count = inputs_add_directory(settings, directory, true);
        int more = count > 0 ? inputs_add_folder(settings, directory) : 0;
        if (count == 0) /* one without traces is reported when it is opened */
            common->paths[kept++] = common->paths[i];
        full = count < 0 || more < 0;
    }
    memmove(common->paths + kept, common->paths + given, (common->path_count - given) * sizeof *common->paths);
    common->path_count -= given - kept;
    return full ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------ all of them -- */

static int inputs_compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void inputs_sort(struct settings *settings)
{
    size_t kept = 0;
    struct stat *files = calloc(settings->common.path_count + 1, sizeof *files);
    qsort(settings->common.paths, settings->common.path_count, sizeof *settings->common.paths, inputs_compare_paths);
    for (size_t i = 0; files && i < settings->common.path_count; i++) {
        size_t twin = 0;
        bool exists = stat(settings->common.paths[i], &files[kept]) == 0;
        while (twin < kept && exists &&
               (files[twin].st_dev != files[kept].st_dev || files[twin].st_ino != files[kept].st_ino))
            twin++;
        if (!exists)
            files[kept] = (struct stat){0};
        if (exists && twin < kept)
            driver_print_error(settings, "%s: is the same file as %s; it counts once", settings->common.paths[i],
                               settings->common.paths[twin]);
        if (!exists || twin == kept)
            settings->common.paths[kept++] = settings->common.paths[i];
    }
    settings->common.path_count = files ? kept : settings->common.path_count;
    free(files);
}

int inputs_open(struct inputs *inputs, const struct settings *settings)
{
    *inputs = (struct inputs){.items = NULL};
    for (size_t i = 0; i < settings->common.path_count; i++) {
        char *path = settings->common.paths[i];
        struct error_text message;
        int status = inputs_open_path(inputs, path, settings, &message);
        if (status < 0)
            return -1;
        if (status != STATUS_GOOD) {
            driver_print_error(settings, "%s: %s", strcmp(path, "-") == 0 ? "standard input" : path, message.text);
            inputs->unreadable++;
        }
    }
    for (size_t i = 0; i < inputs->count; i++) { /* the array moves no more */
        struct input *input = &inputs->items[i];
        input->view.names = &input->names;
        pthread_mutex_init(&input->lock, NULL);
        if (inputs_cut_into_parts(inputs, input, settings))
            return -1;
    }
    return 0;
}

void inputs_close(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        struct input *input = &inputs->items[i];
        if (input->names_loaded)
            trace_names_free(&input->names);
        trace_close(input->trace);
        json_decref(input->partial);
        json_decref(input->conditions);
        free(input->own_path);
        free(input->wanted);
        free(input->run);
        pthread_mutex_destroy(&input->lock);
    }
    free(inputs->items);
    free(inputs->parts);
}
