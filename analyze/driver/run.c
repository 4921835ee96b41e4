#include "analyze/driver/ahead.h"
#include "analyze/driver/driver.h"
#include "analyze/driver/state.h"

#include <errno.h>
#include <string.h>

#include "base/ordered.h"

/* The result of a part. */
struct part_result {
    struct input *input;
    void *state;
    struct trace_loss loss;
    uint64_t records;
    int error;
    struct error_text message; /* "": the error's own text */
};

struct workers {
    const struct settings *settings;
    struct inputs *inputs;
    struct ordered order;
    size_t next; /* part */
    void *total;
    int error;
    struct error_text *message;
};

/* What to read of a trace's chunks. */
struct wish {
    const struct analyzer *analyzer;
    const struct trace_selection *selection;
};

static uint64_t run_wanted_columns(const void *user, unsigned kind)
{
    const struct wish *wish = user;
    for (const struct analyzer_input *wanted = wish->analyzer->inputs; wanted->kind; wanted++) {
        if (wanted->kind == TRACE_SAMPLE && wanted->columns & TRACE_COLUMN(SAMPLE_WEIGHT) &&
            trace_selection_takes(wish->selection, kind))
            return trace_selection_columns(wish->selection, wanted->columns);
        if (wanted->kind == kind)
            return wanted->columns;
    }
    return 0;
}

static int run_feed_part(const struct workers *workers, const struct part *part, struct part_result *result)
{
    const struct analyzer *analyzer = workers->settings->analyzer;
    struct input *input = part->input;
    if (input->partial) {
        int error = state_load(analyzer, result->state, json_object_get(input->partial, "state"));
        if (error == EINVAL)
            error_set(&result->message, STATUS_BAD, "%s: the saved state is damaged", input->path);
        else if (error == ENOTSUP)
            error_set(&result->message, STATUS_BAD,
                      "%s: was saved with other options that choose what is gathered; use the same", input->path);
        return error;
    }
    /* Decoding begins while the names are loaded; with fewer parts than threads, on an otherwise idle one. */
    const struct wish wish = {analyzer, &input->selection};
    const struct ahead_wish chunks = {input->trace, input->wanted + part->first, part->count, run_wanted_columns,
                                      &wish};
    struct ahead *ahead = ahead_start(&chunks, (size_t)workers->settings->common.jobs > workers->inputs->part_count);
    struct ahead_chunk *chunk;
    int error = ENOMEM;
    if (ahead && input_acquire(input) == 0) {
        error = 0;
        while (!error && (chunk = ahead_next(ahead))) {
            if (!trace_names_reads(chunk->header->kind) || chunk->status == TRACE_NO_MEMORY)
                trace_loss_read(&result->loss, chunk->header, chunk->status, &chunk->problem);
            if (chunk->status != 0)
                continue;
            result->records += chunk->batch.count;
            trace_selection_apply(&input->selection, &chunk->batch);
            error = analyzer->feed(result->state, &input->view, &chunk->batch);
        }
        if (!error && analyzer->finalize)
            error = analyzer->finalize(result->state, &input->view);
        input_release(input);
    }
    ahead_stop(ahead);
    return error;
}

static bool run_next_part(void *user, void *part)
{
    struct workers *workers = user;
    if (workers->next == workers->inputs->part_count)
        return false;
    *(const struct part **)part = &workers->inputs->parts[workers->next++];
    return true;
}

static bool run_merge_result(void *user, void *given)
{
    struct workers *workers = user;
    struct part_result *result = given;
    const struct analyzer *analyzer = workers->settings->analyzer;
    pthread_mutex_lock(&result->input->lock); /* its names may still be loading for a later part */
    trace_loss_add(&result->input->loss, &result->loss);
    result->input->records += result->records;
    pthread_mutex_unlock(&result->input->lock);
    if (!workers->error) {
        workers->error = result->error;
        *workers->message = result->message;
    }
    if (!workers->error)
        workers->error = state_merge(analyzer, workers->total, result->state);
    state_free(analyzer, result->state);
    return !workers->error;
}

static void *run_worker(void *user)
{
    struct workers *workers = user;
    const struct part *part;
    struct part_result *result;
    while ((result = ordered_take(&workers->order, &part))) {
        result->input = part->input;
        result->state = state_new(workers->settings->analyzer, &workers->settings->options);
        result->error = result->state ? run_feed_part(workers, part, result) : ENOMEM;
        ordered_done(&workers->order, result);
    }
    return NULL;
}

int run_parts(const struct settings *settings, struct inputs *inputs, void **state, struct error_text *message)
{
    size_t jobs = (size_t)settings->common.jobs;
    struct workers workers = {.settings = settings,
                              .inputs = inputs,
                              .total = state_new(settings->analyzer, &settings->options),
                              .message = message};
    *message = (struct error_text){""};
    workers.order = (struct ordered){
        run_next_part,    run_merge_result, run_worker, &workers, .result_bytes = sizeof(struct part_result),
        .ahead = 2 * jobs};
    if (!workers.total || ordered_run(&workers.order, jobs < inputs->part_count ? jobs : inputs->part_count) != 0)
        workers.error = ENOMEM;
    for (size_t i = 0; i < inputs->count && !workers.error; i++)
        workers.error = inputs->items[i].loss.no_memory ? ENOMEM : 0;
    if (workers.error && workers.total)
        state_free(settings->analyzer, workers.total);
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].trace && !*inputs->items[i].damage.text)
            trace_loss_text(inputs->items[i].trace, &inputs->items[i].loss, &inputs->items[i].damage);
    if (!workers.error)
        *state = workers.total;
    else if (!*message->text)
        error_set(message, STATUS_BAD, "%s", strerror(workers.error));
    return workers.error;
}
