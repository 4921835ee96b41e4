/*
 * The samples of one stream, counted by context, become counts by method and by line.
 *
 * Self: the context's own frame. Inclusive: every method on the stack, once however often it recurs. One walk over the
 * calling-context tree does both: a method counts the samples below its outermost frame.
 */
#include "analyze/hot/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static const struct field source_fields[] = {FIELD(profile_source, id, FIELD_TEXT, JOIN_KEY),
                                             FIELD_ARRAY(profile_source, labels, FIELD_TEXT, JOIN_KEY, RUN_LABELS),
                                             FIELD(profile_source, samples, FIELD_COUNT, JOIN_SUM)};
static const struct field entry_fields[] = {FIELD_ROW_OF(profile_entry, source, JOIN_KEY, PROFILE_SOURCES),
                                            FIELD(profile_entry, role, FIELD_NUMBER, JOIN_KEY, .limit = SAMPLE_ROLES),
                                            FIELD(profile_entry, thread, FIELD_TEXT, JOIN_KEY),
                                            FIELD(profile_entry, method, FIELD_TEXT, JOIN_KEY),
                                            FIELD(profile_entry, line, FIELD_NUMBER, JOIN_KEY),
                                            FIELD(profile_entry, self, FIELD_COUNT, JOIN_SUM),
                                            FIELD(profile_entry, inclusive, FIELD_COUNT, JOIN_SUM)};
const struct relation profile_relations[] = {
    [PROFILE_SOURCES] = {"sources", sizeof(struct profile_source), (1 + RUN_LABELS) * sizeof(uint32_t),
                         RELATION_FIELDS(source_fields)},
    [PROFILE_ENTRIES] = {"entries", sizeof(struct profile_entry), 5 * sizeof(uint32_t), RELATION_FIELDS(entry_fields)},
};

struct profile *profile_new(bool keeps_files)
{
    struct profile *profile = calloc(1, sizeof *profile);
    if (!profile)
        return NULL;
    relations_init(&profile->relations, profile_relations, PROFILE_RELATIONS);
    profile->keeps_files = keeps_files;
    return profile;
}

/* ------------------------------------------------------------------------------------------ the names of a trace -- */

/* Counts of a method, or of a (method, line) pair. Methods that are shown under the same name are one. */
struct cell {
    uint32_t method, line; /* any method of this name; line + 1, or 0 for the method */
    uint32_t text;         /* of the name in the profile; FIELD_NONE: not looked up yet */
    uint32_t open;         /* frames of it on the path of the walk */
    uint64_t self, inclusive;
};

/* The cells of a frame: the walk uses nothing else of it. */
struct frame_cells {
    uint32_t method, pair;
};

/* The tree of the contexts with samples below them: the first child of a context, and its next sibling; 0: none. */
struct profile_links {
    uint32_t child, next;
};

/* Derived from the definitions of a trace, once. */
struct profile_tables {
    const struct trace_names *names;
    struct text_set called; /* the names of methods; the number of a name is its cell */
    struct cell *cells;     /* names, then pairs */
    size_t cell_count;
    uint32_t *cell_of;            /* [method] */
    struct frame_cells *of_frame; /* [frame] */
    struct hash pairs;
    struct profile_links *links; /* [context]: of the current stream; zeros between walks */
    struct sample_roles roles;
    uint64_t *collecting; /* [context]: samples of the current stream that have another role than its thread */
};

static bool profile_pair_equal(const void *user, uint32_t id)
{
    const struct profile_tables *tables = user;
    const struct cell *cell = &tables->cells[id], *wanted = &tables->cells[tables->cell_count];
    return cell->method == wanted->method && cell->line == wanted->line;
}

/* Frames that share method and line share a cell. */
static int profile_make_pairs(struct profile_tables *tables)
{
    const struct trace_names *names = tables->names;
    for (size_t f = 0; f < names->frame_count; f++) {
        const struct trace_frame *frame = &names->frames[f];
        struct cell *fresh = &tables->cells[tables->cell_count];
        *fresh = (struct cell){.method = tables->cells[tables->cell_of[frame->method]].method,
                               .line = frame->line < UINT32_MAX ? frame->line + 1 : 1,
                               .text = FIELD_NONE};
        uint64_t hash = hash_mix(fresh->method, fresh->line);
        uint32_t found = hash_find(&tables->pairs, hash, profile_pair_equal, tables);
        if (!found) {
            found = (uint32_t)tables->cell_count;
            if (hash_add(&tables->pairs, hash, found))
                return ENOMEM;
            tables->cell_count++;
        }
        tables->of_frame[f] = (struct frame_cells){tables->cell_of[frame->method], found};
    }
    return 0;
}

/* Between this and end_trace(), counts may be added; end_trace() frees what this made, also after ENOMEM. */
static int profile_begin_trace(struct profile *profile, const struct analysis_trace *trace)
{
    const struct trace_names *names = trace->names;
    size_t contexts = names->context_count, frames = names->frame_count, methods = names->method_count;
    char name[METHOD_NAME_MAX];
    struct profile_tables *tables = profile->tables = calloc(1, sizeof *tables);
    profile->counts = calloc(contexts, sizeof *profile->counts);
    profile->trace = trace;
    if (!tables || !profile->counts)
        return ENOMEM;
    tables->names = names;
    tables->links = calloc(contexts, sizeof *tables->links);
    tables->cell_of = malloc(methods * sizeof *tables->cell_of);
    tables->of_frame = malloc(frames * sizeof *tables->of_frame);
    tables->cells = malloc((methods + frames + 1) * sizeof *tables->cells);
    tables->collecting = calloc(contexts, sizeof *tables->collecting);
    bool good = sample_roles_init(&tables->roles, names, analysis_trace_is_imported(trace));
    if (!good || !tables->links || !tables->cell_of || !tables->of_frame || !tables->cells || !tables->collecting)
        return ENOMEM;
    for (uint32_t method = 0; method < methods; method++) {
        method_name(&names->methods[method], name);
        uint32_t id = text_set_add(&tables->called, name);
        if (id == TEXT_SET_FULL)
            return ENOMEM;
        if (id == tables->cell_count)
            tables->cells[tables->cell_count++] = (struct cell){.method = method, .text = FIELD_NONE};
        tables->cell_of[method] = id;
    }
    return profile_make_pairs(tables);
}

static void profile_end_trace(struct profile *profile)
{
    struct profile_tables *tables = profile->tables;
    if (tables) {
        text_set_free(&tables->called);
        hash_free(&tables->pairs);
        free(tables->cells);
        free(tables->cell_of);
        free(tables->of_frame);
        free(tables->links);
        free(tables->collecting);
        sample_roles_free(&tables->roles);
        free(tables);
    }
    free(profile->counts);
    profile->tables = NULL;
    profile->counts = NULL;
    profile->trace = NULL;
}

/* ------------------------------------------------------------------------------------------ the walk -- */

/* Counts the samples of each context in its cells. Then the counts become those of the subtrees, which are linked:
 * parents have smaller ids than their children, so one pass from the end does it. */
static void profile_make_tree(struct profile_tables *tables, uint64_t *counts)
{
    const struct trace_context *contexts = tables->names->contexts;
    size_t count = tables->names->context_count;
    for (size_t id = 0; id < count; id++)
        if (counts[id] > 0) {
            struct frame_cells cells = tables->of_frame[contexts[id].frame];
            tables->cells[cells.method].self += counts[id];
            tables->cells[cells.pair].self += counts[id];
        }
    for (size_t id = count; id-- > 1;)
        if (counts[id] > 0) {
            uint32_t parent = contexts[id].parent;
            if (parent > 0)
                counts[parent] += counts[id];
            tables->links[id].next = tables->links[parent].child;
            tables->links[parent].child = (uint32_t)id;
        }
}

static inline void profile_enter_cell(struct cell *cell, uint64_t total)
{
    if (cell->open++ == 0)
        cell->inclusive += total;
}

static inline void profile_enter_context(struct profile_tables *tables, uint32_t context, uint64_t total)
{
    struct frame_cells cells = tables->of_frame[tables->names->contexts[context].frame];
    profile_enter_cell(&tables->cells[cells.method], total);
    profile_enter_cell(&tables->cells[cells.pair], total);
}

static inline void profile_leave_context(struct profile_tables *tables, uint32_t context)
{
    struct frame_cells cells = tables->of_frame[tables->names->contexts[context].frame];
    tables->cells[cells.method].open--;
    tables->cells[cells.pair].open--;
}

/* Depth first, without a stack, since the parents lead back; unlinks the tree. Context 0 represents samples without a
 * context. */
static void profile_walk_tree(struct profile_tables *tables, const uint64_t *totals)
{
    struct profile_links *links = tables->links;
    if (totals[0] > 0) {
        profile_enter_context(tables, 0, totals[0]);
        profile_leave_context(tables, 0);
    }
    uint32_t at = links[0].child;
    links[0].child = 0;
    while (at) {
        profile_enter_context(tables, at, totals[at]);
        uint32_t child = links[at].child;
        if (child) {
            links[at].child = 0;
            at = child;
            continue;
        }
        while (at) {
            profile_leave_context(tables, at);
            if (links[at].next) {
                at = links[at].next;
                break;
            }
            at = tables->names->contexts[at].parent;
        }
    }
}

/* ------------------------------------------------------------------------------------------ into the profile -- */

/* Adds what a cell has counted, and clears it for the next walk. */
static int profile_add_cell(struct profile *profile, struct cell *cell, const struct profile_entry *like)
{
    if (cell->text == FIELD_NONE) {
        char name[METHOD_NAME_MAX];
        method_name(&profile->tables->names->methods[cell->method], name);
        cell->text = relations_text(&profile->relations, name);
        if (cell->text == FIELD_NONE)
            return ENOMEM;
    }
    if (cell->line == 0)
        profile_source_at(profile, like->source)->samples += cell->self;
    struct profile_entry entry = *like;
    entry.method = cell->text;
    entry.line = cell->line;
    entry.self = cell->self;
    entry.inclusive = cell->inclusive;
    cell->self = cell->inclusive = 0;
    return relations_add(&profile->relations, PROFILE_ENTRIES, &entry) == FIELD_NONE ? ENOMEM : 0;
}

/* Turns the samples of each context into entries like this one, and clears them. */
static int profile_add_counts(struct profile *profile, uint64_t *counts, const struct profile_entry *like)
{
    struct profile_tables *tables = profile->tables;
    int error = 0;
    profile_make_tree(tables, counts);
    profile_walk_tree(tables, counts);
    for (size_t i = 0; !error && i < tables->cell_count; i++)
        if (tables->cells[i].inclusive > 0)
            error = profile_add_cell(profile, &tables->cells[i], like);
    memset(counts, 0, tables->names->context_count * sizeof *counts);
    return error;
}

/* The row of the trace's labels; FIELD_NONE without memory. */
static uint32_t profile_add_source(struct profile *profile)
{
    struct profile_source source = {.id = relations_text(&profile->relations, profile->trace->run)};
    bool good = source.id != FIELD_NONE;
    for (enum run_label label = 0; good && label < RUN_LABELS; label++) {
        bool left_out = label == RUN_LABEL_FILE && !profile->keeps_files;
        char *text = left_out ? strdup("") : run_label_text(profile->trace, label);
        source.labels[label] = text ? relations_text(&profile->relations, text) : FIELD_NONE;
        good = source.labels[label] != FIELD_NONE;
        free(text);
    }
    return good ? relations_add(&profile->relations, PROFILE_SOURCES, &source) : FIELD_NONE;
}

/* Turns the counts of the current stream into entries of its trace's source and clears them. O(definitions of the
 * trace). */
static int profile_add_stream(struct profile *profile)
{
    struct profile_tables *tables = profile->tables;
    const struct trace_names *names = tables->names;
    uint32_t stream = profile->stream < names->thread_count ? profile->stream : 0;
    struct profile_entry like = {.source = profile_add_source(profile),
                                 .role = sample_role(&tables->roles, stream, 0),
                                 .thread = relations_text(&profile->relations, names->threads[stream].name)};
    if (like.source == FIELD_NONE || like.thread == FIELD_NONE)
        return ENOMEM;
    if (!profile->fed)
        return 0;
    bool several = false;
    for (uint32_t c = 0; like.role == ROLE_VM && c < names->context_count; c++)
        if (profile->counts[c] > 0 && sample_role(&tables->roles, stream, c) != like.role) {
            tables->collecting[c] = profile->counts[c];
            profile->counts[c] = 0;
            several = true;
        }
    int error = profile_add_counts(profile, profile->counts, &like);
    like.role = ROLE_GC;
    if (!error && several)
        error = profile_add_counts(profile, tables->collecting, &like);
    profile->fed = false;
    return error;
}

/* ------------------------------------------------------------------------------------------ feeding -- */

int profile_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct profile *profile = state;
    int error = 0;
    if (profile->fed && profile->stream != batch->thread)
        error = profile_add_stream(profile);
    if (!error && !profile->trace)
        error = profile_begin_trace(profile, trace);
    if (error)
        return error;
    profile->stream = batch->thread;
    profile->fed = true;
    const uint64_t *contexts = batch->integers[SAMPLE_CONTEXT], *weights = batch->integers[SAMPLE_WEIGHT];
    size_t limit = trace->names->context_count;
    for (size_t i = 0; i < batch->count; i++)
        profile->counts[contexts[i] < limit ? contexts[i] : 0] += trace_sample_weight(weights[i]);
    return 0;
}

int profile_finalize(void *state, const struct analysis_trace *trace)
{
    struct profile *profile = state;
    int error = profile->trace ? 0 : profile_begin_trace(profile, trace);
    /* A trace without samples is still a run. */
    if (!error)
        error = profile_add_stream(profile);
    profile_end_trace(profile);
    return error;
}

void profile_free(void *state)
{
    struct profile *profile = state;
    relations_free(&profile->relations);
    profile_end_trace(profile);
    free(profile);
}
