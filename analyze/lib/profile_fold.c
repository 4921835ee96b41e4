/*
 * The samples of one stream, counted by context, become counts by method and by line.
 *
 * Self: the context's own frame. Inclusive: every method on the stack, once however often it recurs. One walk over the
 * calling-context tree does both: a method counts the samples below its outermost frame.
 */
#include "analyze/lib/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Counts of a method, or of a (method, line) pair. */
struct cell {
    uint32_t method, line; /* line + 1, or 0 for the method */
    uint32_t open;         /* frames of it on the path of the walk */
    uint64_t self, inclusive;
};

struct fold {
    const struct trace_names *names;
    const uint64_t *counts; /* [context] */
    uint64_t *totals;       /* [context]: of its subtree */
    uint32_t *child, *next; /* [context]: first child with samples, next sibling */
    struct cell *cells;     /* [method], then pairs */
    size_t cell_count;
    uint32_t *pair_of; /* [frame]: its pair's cell */
    struct hash pairs;
};

static bool pair_equal(const void *user, uint32_t id)
{
    const struct fold *fold = user;
    const struct cell *cell = &fold->cells[id], *wanted = &fold->cells[fold->cell_count];
    return cell->method == wanted->method && cell->line == wanted->line;
}

/* Frames that share method and line share a cell. */
static int make_cells(struct fold *fold)
{
    const struct trace_names *names = fold->names;
    for (uint32_t method = 0; method < names->method_count; method++)
        fold->cells[fold->cell_count++].method = method;
    for (size_t f = 0; f < names->frame_count; f++) {
        const struct trace_frame *frame = &names->frames[f];
        struct cell *fresh = &fold->cells[fold->cell_count];
        fresh->method = frame->method;
        fresh->line = frame->line + 1;
        uint64_t hash = hash_mix(fresh->method, fresh->line);
        uint32_t found = hash_find(&fold->pairs, hash, pair_equal, fold);
        if (!found) {
            found = (uint32_t)fold->cell_count;
            if (hash_add(&fold->pairs, hash, found))
                return ENOMEM;
            fold->cell_count++;
        }
        fold->pair_of[f] = found;
    }
    return 0;
}

/* Parents have smaller ids than their children, so one pass from the end sums and links the tree. */
static void make_tree(struct fold *fold)
{
    memcpy(fold->totals, fold->counts, fold->names->context_count * sizeof *fold->totals);
    for (size_t id = fold->names->context_count; id-- > 1;) {
        if (fold->totals[id] == 0)
            continue;
        uint32_t parent = fold->names->contexts[id].parent;
        fold->totals[parent] += fold->totals[id];
        fold->next[id] = fold->child[parent];
        fold->child[parent] = (uint32_t)id;
    }
}

static void enter(struct fold *fold, struct cell *cell, uint32_t context)
{
    cell->self += fold->counts[context];
    if (cell->open++ == 0)
        cell->inclusive += context ? fold->totals[context] : fold->counts[0];
}

static void visit(struct fold *fold, uint32_t context, bool entering)
{
    uint32_t frame = fold->names->contexts[context].frame;
    struct cell *const cells[] = {&fold->cells[fold->names->frames[frame].method], &fold->cells[fold->pair_of[frame]]};
    for (size_t i = 0; i < 2; i++) {
        if (entering)
            enter(fold, cells[i], context);
        else
            cells[i]->open--;
    }
}

/* Depth first, without a stack of its own: the parents lead back. Context 0 stands for samples without a context. */
static void walk(struct fold *fold)
{
    if (fold->counts[0] > 0) {
        visit(fold, 0, true);
        visit(fold, 0, false);
    }
    uint32_t at = fold->child[0];
    while (at) {
        visit(fold, at, true);
        if (fold->child[at]) {
            at = fold->child[at];
            continue;
        }
        while (at) {
            visit(fold, at, false);
            if (fold->next[at]) {
                at = fold->next[at];
                break;
            }
            at = fold->names->contexts[at].parent;
        }
    }
}

/* ------------------------------------------------------------------------------------------ into the profile -- */

static void labels_of(const struct analysis_trace *trace, char *command, size_t size,
                      const char *labels[PROFILE_LABELS])
{
    const json_t *metadata = trace_metadata(trace->trace), *words = json_object_get(metadata, "command"), *word;
    size_t i, length = 0;
    for (i = 0; i < PROFILE_LABELS; i++) {
        const char *text = json_string_value(json_object_get(metadata, profile_label_names[i]));
        labels[i] = text ? text : "";
    }
    if (!json_is_array(words))
        return;
    command[0] = '\0';
    json_array_foreach((json_t *)(uintptr_t)words, i, word)
    {
        const char *text = json_string_value(word);
        if (text && length < size)
            length += (size_t)snprintf(command + length, size - length, "%s%s", i ? " " : "", text);
    }
    labels[2] = command;
}

static int add_cells(struct profile *profile, const struct fold *fold, size_t run, uint32_t thread)
{
    char name[METHOD_NAME_MAX];
    uint32_t text = TEXT_SET_FULL, method = UINT32_MAX;
    int error = 0;
    for (size_t i = 0; !error && i < fold->cell_count; i++) {
        const struct cell *cell = &fold->cells[i];
        if (cell->inclusive == 0)
            continue;
        if (cell->method != method) {
            method_name(&fold->names->methods[cell->method], name);
            text = text_set_add(&profile->texts, name);
            method = cell->method;
        }
        if (cell->line == 0)
            profile->runs[run].samples += cell->self;
        const struct profile_entry entry = {(uint32_t)run, thread, text, cell->line, cell->self, cell->inclusive};
        error = text == TEXT_SET_FULL ? ENOMEM : profile_add(profile, &entry);
    }
    return error;
}

static bool allocate(struct fold *fold)
{
    size_t contexts = fold->names->context_count, frames = fold->names->frame_count;
    fold->totals = malloc(contexts * sizeof *fold->totals);
    fold->child = calloc(contexts, sizeof *fold->child);
    fold->next = calloc(contexts, sizeof *fold->next);
    fold->pair_of = calloc(frames, sizeof *fold->pair_of);
    fold->cells = calloc(fold->names->method_count + frames + 1, sizeof *fold->cells);
    return fold->totals && fold->child && fold->next && fold->pair_of && fold->cells;
}

static int fold_stream(struct profile *profile, size_t run, uint32_t thread)
{
    struct fold fold = {.names = profile->trace->names, .counts = profile->counts};
    int error = allocate(&fold) ? make_cells(&fold) : ENOMEM;
    if (!error) {
        make_tree(&fold);
        walk(&fold);
        error = add_cells(profile, &fold, run, thread);
    }
    free(fold.totals);
    free(fold.child);
    free(fold.next);
    free(fold.pair_of);
    free(fold.cells);
    hash_free(&fold.pairs);
    return error;
}

int profile_fold(struct profile *profile)
{
    const struct trace_names *names = profile->trace->names;
    char command[512];
    const char *labels[PROFILE_LABELS];
    labels_of(profile->trace, command, sizeof command, labels);
    size_t run = profile_run_of(profile, profile->trace->run, labels);
    uint32_t stream = profile->stream < names->thread_count ? profile->stream : 0;
    uint32_t thread = text_set_add(&profile->texts, names->threads[stream].name);
    if (run == SIZE_MAX || thread == TEXT_SET_FULL)
        return ENOMEM;
    int error = profile->stream ? fold_stream(profile, run, thread) : 0;
    memset(profile->counts, 0, names->context_count * sizeof *profile->counts);
    profile->stream = 0;
    return error;
}
