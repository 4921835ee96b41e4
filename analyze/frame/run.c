#include "analyze/frame/ahead.h"
#include "analyze/frame/frame.h"

#include <errno.h>
#include <stdlib.h>

/* Workers take parts in order; the one that finishes the next part to be merged merges all that are ready. A worker may
 * run ahead of the merge only by this many parts, which bounds the states in memory. */
struct tally {
    struct trace_loss loss;
    uint64_t records;
};

struct crew {
    const struct settings *settings;
    struct inputs *inputs;
    pthread_mutex_t lock;
    pthread_cond_t merged_more;
    size_t next, merged;
    void **states;         /* [part] */
    struct tally *tallies; /* [part] */
    bool *ready;
    void *total;
    int error;
};

static uint64_t columns_of(const void *user, unsigned kind)
{
    const struct analyzer *analyzer = user;
    for (const struct analyzer_input *wanted = analyzer->inputs; wanted->kind; wanted++)
        if (wanted->kind == kind)
            return wanted->columns;
    return 0;
}

static int feed_chunk(const struct crew *crew, const struct input *input, const struct ahead_chunk *chunk, void *state,
                      struct tally *tally)
{
    if (!trace_names_reads(chunk->header->kind))
        trace_loss_read(&tally->loss, chunk->header, chunk->status, &chunk->problem);
    if (chunk->status != 0)
        return 0;
    tally->records += chunk->batch.count;
    return crew->settings->analyzer->feed(state, &input->view, &chunk->batch);
}

static int feed_chunks(const struct crew *crew, struct input *input, struct ahead *ahead, void *state,
                       struct tally *tally)
{
    const struct analyzer *analyzer = crew->settings->analyzer;
    const struct ahead_chunk *chunk;
    int error = 0;
    while (!error && (chunk = ahead_next(ahead)))
        error = feed_chunk(crew, input, chunk, state, tally);
    return error || !analyzer->settle ? error : analyzer->settle(state, &input->view);
}

static int feed_part(const struct crew *crew, const struct part *part, void *state, struct tally *tally)
{
    const struct analyzer *analyzer = crew->settings->analyzer;
    struct input *input = part->input;
    if (input->partial) {
        int error = analyzer->load(state, json_object_get(input->partial, "state"));
        if (error == EINVAL)
            frame_complain(crew->settings, "%s: the saved state is damaged", input->path);
        return error;
    }
    /* Decoding begins while the names are loaded; with fewer parts than threads, on an otherwise idle one. */
    const struct ahead_wish wish = {input->trace, input->wanted + part->first, part->count, columns_of, analyzer};
    struct ahead *ahead = ahead_start(&wish, (size_t)crew->settings->jobs > crew->inputs->part_count);
    int error = ENOMEM;
    if (ahead && input_acquire(input) == 0) {
        error = feed_chunks(crew, input, ahead, state, tally);
        input_release(input);
    }
    ahead_stop(ahead);
    return error;
}

/* With the lock held: joins the states that are ready, in order. */
static void merge_ready(struct crew *crew)
{
    const struct analyzer *analyzer = crew->settings->analyzer;
    while (crew->merged < crew->inputs->part_count && crew->ready[crew->merged]) {
        struct input *input = crew->inputs->parts[crew->merged].input;
        const struct tally *tally = &crew->tallies[crew->merged];
        void *state = crew->states[crew->merged++];
        pthread_mutex_lock(&input->lock); /* its names may still be loading for a later part */
        trace_loss_add(&input->loss, &tally->loss);
        input->records += tally->records;
        pthread_mutex_unlock(&input->lock);
        if (!crew->error && state)
            crew->error = analyzer->merge(crew->total, state);
        if (state)
            analyzer->free(state);
    }
    pthread_cond_broadcast(&crew->merged_more);
}

static bool take_part(struct crew *crew, size_t *mine)
{
    pthread_mutex_lock(&crew->lock);
    size_t ahead = 2 * (size_t)crew->settings->jobs;
    while (!crew->error && crew->next < crew->inputs->part_count && crew->next >= crew->merged + ahead)
        pthread_cond_wait(&crew->merged_more, &crew->lock);
    bool any = !crew->error && crew->next < crew->inputs->part_count;
    if (any)
        *mine = crew->next++;
    pthread_mutex_unlock(&crew->lock);
    return any;
}

static void *work(void *argument)
{
    struct crew *crew = argument;
    size_t mine;
    while (take_part(crew, &mine)) {
        void *state = crew->settings->analyzer->init(&crew->settings->options);
        int error = state ? feed_part(crew, &crew->inputs->parts[mine], state, &crew->tallies[mine]) : ENOMEM;
        pthread_mutex_lock(&crew->lock);
        if (error && !crew->error)
            crew->error = error;
        crew->states[mine] = state;
        crew->ready[mine] = true;
        merge_ready(crew);
        pthread_mutex_unlock(&crew->lock);
    }
    return NULL;
}

static void hire(struct crew *crew)
{
    size_t wanted = (size_t)crew->settings->jobs;
    if (wanted > crew->inputs->part_count)
        wanted = crew->inputs->part_count;
    pthread_t *threads = calloc(wanted + 1, sizeof *threads);
    size_t started = 0;
    while (threads && started + 1 < wanted && pthread_create(&threads[started], NULL, work, crew) == 0)
        started++;
    work(crew);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

int run_parts(const struct settings *settings, struct inputs *inputs, void **state)
{
    struct crew crew = {.settings = settings, .inputs = inputs, .total = settings->analyzer->init(&settings->options)};
    crew.states = calloc(inputs->part_count + 1, sizeof *crew.states);
    crew.tallies = calloc(inputs->part_count + 1, sizeof *crew.tallies);
    crew.ready = calloc(inputs->part_count + 1, sizeof *crew.ready);
    pthread_mutex_init(&crew.lock, NULL);
    pthread_cond_init(&crew.merged_more, NULL);
    if (!crew.states || !crew.tallies || !crew.ready || !crew.total)
        crew.error = ENOMEM;
    else
        hire(&crew);
    for (size_t i = crew.merged; crew.states && i < inputs->part_count; i++)
        if (crew.states[i])
            settings->analyzer->free(crew.states[i]);
    free(crew.states);
    free(crew.tallies);
    free(crew.ready);
    pthread_mutex_destroy(&crew.lock);
    pthread_cond_destroy(&crew.merged_more);
    if (crew.error && crew.total)
        settings->analyzer->free(crew.total);
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].trace)
            trace_loss_text(inputs->items[i].trace, &inputs->items[i].loss, inputs->items[i].damage);
    if (!crew.error)
        *state = crew.total;
    return crew.error;
}
