#include "analyze/lib/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const profile_label_names[PROFILE_LABELS] = {"clock", "engine", "command", "mode"};

void *profile_init(const struct analysis_options *options)
{
    (void)options;
    return calloc(1, sizeof(struct profile));
}

void profile_free(void *state)
{
    struct profile *profile = state;
    text_set_free(&profile->texts);
    hash_free(&profile->entry_hash);
    free(profile->runs);
    free(profile->entries);
    free(profile->counts);
    free(profile);
}

/* ------------------------------------------------------------------------------------------ runs, entries -- */

size_t profile_run_of(struct profile *profile, const char *id, const char *const labels[PROFILE_LABELS])
{
    uint32_t text = text_set_add(&profile->texts, id);
    for (size_t i = 0; i < profile->run_count; i++)
        if (profile->runs[i].id == text)
            return i;
    struct profile_run *runs = realloc(profile->runs, (profile->run_count + 1) * sizeof *runs);
    if (!runs)
        return SIZE_MAX;
    profile->runs = runs;
    struct profile_run *run = &runs[profile->run_count];
    *run = (struct profile_run){.id = text};
    bool full = text == TEXT_SET_FULL;
    for (size_t i = 0; i < PROFILE_LABELS; i++) {
        run->labels[i] = text_set_add(&profile->texts, labels[i]);
        full |= run->labels[i] == TEXT_SET_FULL;
    }
    return full ? SIZE_MAX : profile->run_count++;
}

struct entry_key {
    const struct profile *profile;
    const struct profile_entry *entry;
};

static bool entry_equal(const void *user, uint32_t id)
{
    const struct entry_key *key = user;
    const struct profile_entry *a = &key->profile->entries[id - 1], *b = key->entry;
    return a->run == b->run && a->thread == b->thread && a->method == b->method && a->line == b->line;
}

static uint64_t entry_hash(const struct profile_entry *entry)
{
    return hash_mix(hash_mix(entry->run, entry->thread), hash_mix(entry->method, entry->line));
}

static int new_entry(struct profile *profile, const struct profile_entry *entry, uint64_t hash)
{
    if (profile->entry_count == profile->entry_capacity) {
        size_t capacity = profile->entry_capacity ? profile->entry_capacity * 2 : 256;
        struct profile_entry *entries = realloc(profile->entries, capacity * sizeof *entries);
        if (!entries)
            return ENOMEM;
        profile->entries = entries;
        profile->entry_capacity = capacity;
    }
    if (hash_add(&profile->entry_hash, hash, (uint32_t)profile->entry_count + 1))
        return ENOMEM;
    profile->entries[profile->entry_count++] = *entry;
    return 0;
}

int profile_add(struct profile *profile, const struct profile_entry *counts)
{
    uint64_t hash = entry_hash(counts);
    struct entry_key key = {profile, counts};
    uint32_t id = hash_find(&profile->entry_hash, hash, entry_equal, &key);
    if (!id)
        return new_entry(profile, counts, hash);
    profile->entries[id - 1].self += counts->self;
    profile->entries[id - 1].inclusive += counts->inclusive;
    return 0;
}

/* ------------------------------------------------------------------------------------------ feeding -- */

/* Totals of subtrees: parents have smaller ids than their children. */
static uint64_t *totals_of(const struct profile *profile, size_t count)
{
    uint64_t *totals = malloc(count * sizeof *totals);
    if (!totals)
        return NULL;
    memcpy(totals, profile->counts, count * sizeof *totals);
    for (size_t id = count; id-- > 1;)
        totals[profile->trace->names->contexts[id].parent] += totals[id];
    return totals;
}

/* Whether a method (and, with `line`, the same line of it) stands further out on the same stack. */
static bool is_recursive(const struct trace_names *names, size_t id, bool line)
{
    const struct trace_frame *frame = &names->frames[names->contexts[id].frame];
    for (uint32_t up = names->contexts[id].parent; up; up = names->contexts[up].parent) {
        const struct trace_frame *outer = &names->frames[names->contexts[up].frame];
        if (outer->method == frame->method && (!line || outer->line == frame->line))
            return true;
    }
    return false;
}

static int add_context(struct profile *profile, struct profile_entry *entry, size_t id, uint64_t total)
{
    const struct trace_names *names = profile->trace->names;
    entry->self = profile->counts[id];
    entry->line = 0;
    entry->inclusive = is_recursive(names, id, false) ? 0 : total;
    int error = profile_add(profile, entry);
    entry->line = names->frames[names->contexts[id].frame].line + 1;
    entry->inclusive = entry->inclusive || !is_recursive(names, id, true) ? total : 0;
    return error ? error : profile_add(profile, entry);
}

/* The text of each method of the trace that is needed, looked up once. */
static uint32_t method_text(struct profile *profile, uint32_t *texts, uint32_t method)
{
    if (texts[method] == TEXT_SET_FULL) {
        char name[METHOD_NAME_MAX];
        method_name(&profile->trace->names->methods[method], name);
        texts[method] = text_set_add(&profile->texts, name);
    }
    return texts[method];
}

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

static int add_stream(struct profile *profile, size_t run, uint32_t thread, uint32_t *texts)
{
    const struct trace_names *names = profile->trace->names;
    uint64_t *totals = totals_of(profile, names->context_count);
    int error = totals ? 0 : ENOMEM;
    for (size_t id = 0; !error && id < names->context_count; id++) {
        if (totals[id] == 0 || (id == 0 && profile->counts[0] == 0))
            continue;
        if (id == 0)
            totals[0] = profile->counts[0];
        profile->runs[run].samples += profile->counts[id];
        uint32_t method = method_text(profile, texts, names->frames[names->contexts[id].frame].method);
        struct profile_entry entry = {.run = (uint32_t)run, .thread = thread, .method = method};
        error = method == TEXT_SET_FULL ? ENOMEM : add_context(profile, &entry, id, totals[id]);
    }
    free(totals);
    return error;
}

/* Turns the counts of the stream at hand into entries. */
static int fold(struct profile *profile)
{
    const struct analysis_trace *trace = profile->trace;
    const struct trace_names *names = trace->names;
    char command[512];
    const char *labels[PROFILE_LABELS];
    labels_of(trace, command, sizeof command, labels);
    size_t run = profile_run_of(profile, trace->run, labels);
    uint32_t stream = profile->stream < names->thread_count ? profile->stream : 0;
    uint32_t thread = text_set_add(&profile->texts, names->threads[stream].name);
    uint32_t *texts = malloc(names->method_count * sizeof *texts);
    int error = run == SIZE_MAX || thread == TEXT_SET_FULL || !texts ? ENOMEM : 0;
    if (!error) {
        memset(texts, 0xff, names->method_count * sizeof *texts);
        error = add_stream(profile, run, thread, texts);
    }
    free(texts);
    memset(profile->counts, 0, names->context_count * sizeof *profile->counts);
    profile->stream = 0;
    return error;
}

static int begin_trace(struct profile *profile, const struct analysis_trace *trace)
{
    size_t needed = trace->names->context_count;
    if (needed > profile->count_capacity) {
        uint64_t *counts = calloc(needed, sizeof *counts);
        if (!counts)
            return ENOMEM;
        free(profile->counts);
        profile->counts = counts;
        profile->count_capacity = needed;
    }
    profile->trace = trace;
    return 0;
}

int profile_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct profile *profile = state;
    int error = 0;
    if (profile->trace && profile->stream != 0 && profile->stream != batch->thread)
        error = fold(profile);
    if (!error && profile->trace != trace)
        error = begin_trace(profile, trace);
    if (error)
        return error;
    profile->stream = batch->thread;
    const uint64_t *contexts = batch->integers[SAMPLE_CONTEXT];
    size_t limit = trace->names->context_count;
    for (size_t i = 0; i < batch->count; i++)
        profile->counts[contexts[i] < limit ? contexts[i] : 0]++;
    return 0;
}

int profile_settle(void *state, const struct analysis_trace *trace)
{
    struct profile *profile = state;
    int error = profile->trace == trace ? 0 : begin_trace(profile, trace);
    /* A trace without samples is a run all the same. */
    if (!error)
        error = fold(profile);
    profile->trace = NULL;
    return error;
}
