#include "analyze/agree/profiles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/keyed.h"

static const struct field run_fields[] = {FIELD(profiles_run, profiler, FIELD_TEXT, JOIN_KEY),
                                          FIELD(profiles_run, name, FIELD_TEXT, JOIN_KEY),
                                          FIELD(profiles_run, cpu_ns, FIELD_COUNT, JOIN_SUM),
                                          FIELD(profiles_run, sampled_ns, FIELD_COUNT, JOIN_SUM),
                                          FIELD(profiles_run, wall_ns, FIELD_COUNT, JOIN_LARGEST),
                                          FIELD(profiles_run, command_cpu_ns, FIELD_COUNT, JOIN_LARGEST)};
static const struct field entry_fields[] = {
    FIELD_ROW_OF(profiles_entry, run, JOIN_KEY, PROFILES_RUNS),
    {.type = FIELD_NUMBER, .join = JOIN_KEY, .offset = offsetof(struct profiles_entry, role), .limit = SAMPLE_ROLES},
    FIELD(profiles_entry, method, FIELD_TEXT, JOIN_KEY),
    FIELD(profiles_entry, weight, FIELD_REAL, JOIN_SUM)};
static const struct field call_fields[] = {FIELD(profiles_call, caller, FIELD_TEXT, JOIN_KEY),
                                           FIELD(profiles_call, callee, FIELD_TEXT, JOIN_KEY)};

static bool profiles_entry_is_valid(const void *row)
{
    return ((const struct profiles_entry *)row)->weight >= 0;
}

const struct relation profiles_relations[] = {
    [PROFILES_RUNS] = {"runs", sizeof(struct profiles_run), 2 * sizeof(uint32_t), RELATION_FIELDS(run_fields)},
    [PROFILES_ENTRIES] = {"entries", sizeof(struct profiles_entry), 3 * sizeof(uint32_t), RELATION_FIELDS(entry_fields),
                          .valid = profiles_entry_is_valid},
    [PROFILES_CALLS] = {"calls", sizeof(struct profiles_call), 2 * sizeof(uint32_t), RELATION_FIELDS(call_fields)}};

bool profiles_know_profilers(const struct profiles *profiles)
{
    for (size_t i = 0; i < profiles_run_count(profiles); i++)
        if (*profiles_text(profiles, profiles_run_at(profiles, i)->profiler))
            return true;
    return false;
}

void profiles_init(struct profiles *profiles)
{
    *profiles = (struct profiles){0};
    relations_init(&profiles->relations, profiles_relations, PROFILES_RELATIONS);
}

void profiles_free(struct profiles *profiles)
{
    relations_free(&profiles->relations);
}

uint32_t profiles_run(struct profiles *profiles, const char *profiler, const char *name)
{
    const struct profiles_run run = {.profiler = relations_text(&profiles->relations, profiler),
                                     .name = relations_text(&profiles->relations, name)};
    if (run.profiler == FIELD_NONE || run.name == FIELD_NONE)
        return FIELD_NONE;
    return relations_add(&profiles->relations, PROFILES_RUNS, &run);
}

int profiles_add(struct profiles *profiles, uint32_t run, uint32_t role, uint32_t method, double weight)
{
    const struct profiles_entry entry = {run, role, method, weight};
    return relations_add(&profiles->relations, PROFILES_ENTRIES, &entry) == FIELD_NONE ? ENOMEM : 0;
}

int profiles_add_call(struct profiles *profiles, uint32_t caller, uint32_t callee)
{
    const struct profiles_call call = {caller, callee};
    return relations_add(&profiles->relations, PROFILES_CALLS, &call) == FIELD_NONE ? ENOMEM : 0;
}

/* Adds the rows of other to empty profiles; methods are added as the text `names` has for each text of other. */
static int profiles_join_renamed(struct profiles *profiles, const struct profiles *other, const uint32_t *names)
{
    bool good = true;
    for (uint32_t i = 0; good && i < other->relations.texts.count; i++) /* texts keep their numbers */
        good = relations_text(&profiles->relations, profiles_text(other, i)) == i;
    for (size_t i = 0; good && i < profiles_run_count(other); i++)
        good = relations_add(&profiles->relations, PROFILES_RUNS, profiles_run_at(other, i)) == i;
    for (size_t i = 0; good && i < profiles_entry_count(other); i++) {
        struct profiles_entry entry = *profiles_entry_at(other, i);
        entry.method = names[entry.method];
        good = relations_add(&profiles->relations, PROFILES_ENTRIES, &entry) != FIELD_NONE;
    }
    for (size_t i = 0; good && i < profiles_call_count(other); i++) {
        const struct profiles_call *call = profiles_call_at(other, i);
        good = profiles_add_call(profiles, names[call->caller], names[call->callee]) == 0;
    }
    return good ? 0 : ENOMEM;
}

/* -------------------------------------------------------------------------------------- parameters -- */

/* The length of a name without its parameters, if it ends with them; 0: it has none. */
static size_t profiles_bare_length(const char *name)
{
    size_t length = strcspn(name, "("), depth = 0;
    for (const char *at = name + length; *at; at++) {
        depth += *at == '(';
        depth -= *at == ')' && depth > 0;
        if (depth == 0 && at[1])
            return 0;
    }
    return name[length] && depth == 0 ? length : 0;
}

/* For each text that is a name with parameters that of the name without them, if there is one; else itself. NULL
 * without memory. */
static uint32_t *profiles_bare_names(const struct text_set *texts)
{
    uint32_t *bare = malloc((texts->count + 1) * sizeof *bare);
    for (uint32_t i = 0; bare && i < texts->count; i++) {
        size_t length = profiles_bare_length(texts->texts[i]);
        char *name = length > 0 ? strndup(texts->texts[i], length) : NULL;
        uint32_t found = name ? text_set_find(texts, name) : TEXT_SET_FULL;
        bare[i] = found == TEXT_SET_FULL ? i : found;
        if (length > 0 && !name) {
            free(bare);
            bare = NULL;
        }
        free(name);
    }
    return bare;
}

/* A name without parameters, and a profiler that has methods of this name with parameters. */
struct distinguished {
    uint32_t profiler, name;
};

static struct distinguished profiles_method_key(const struct profiles *profiles, const struct profiles_entry *entry,
                                                uint32_t name)
{
    const struct profiles_run *run = profiles_run_at(profiles, entry->run);
    return (struct distinguished){run->profiler, name};
}

/* Keeps of the bare names only those that a profiler has which knows no parameters of theirs; the others stay. */
static int profiles_restore_ambiguous(const struct profiles *profiles, uint32_t *bare, size_t *count)
{
    struct keyed set = {.item_bytes = sizeof(struct distinguished), .key_bytes = sizeof(struct distinguished)};
    bool *wanted = calloc(profiles->relations.texts.count + 1, sizeof *wanted);
    int error = wanted ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < profiles_entry_count(profiles); i++) {
        const struct profiles_entry *entry = profiles_entry_at(profiles, i);
        const struct distinguished key = profiles_method_key(profiles, entry, bare[entry->method]);
        if (bare[entry->method] != entry->method && keyed_add(&set, &key) == KEYED_FULL)
            error = ENOMEM;
    }
    for (size_t i = 0, had = set.count; !error && i < profiles_entry_count(profiles); i++) {
        const struct profiles_entry *entry = profiles_entry_at(profiles, i);
        const struct distinguished key = profiles_method_key(profiles, entry, entry->method);
        uint32_t at = bare[entry->method] == entry->method ? keyed_add(&set, &key) : 0;
        if (at == KEYED_FULL)
            error = ENOMEM;
        else if (bare[entry->method] == entry->method && at >= had)
            wanted[entry->method] = true;
    }
    *count = 0;
    for (uint32_t i = 0; !error && i < profiles->relations.texts.count; i++) {
        if (!wanted[bare[i]])
            bare[i] = i;
        *count += bare[i] != i;
    }
    free(wanted);
    keyed_free(&set);
    return error;
}

int profiles_level_names(const struct profiles *profiles, struct profiles *into, size_t *count)
{
    profiles_init(into);
    into->shares = profiles->shares;
    uint32_t *bare = profiles_bare_names(&profiles->relations.texts);
    int error = bare ? profiles_restore_ambiguous(profiles, bare, count) : ENOMEM;
    if (!error && *count > 0)
        error = profiles_join_renamed(into, profiles, bare);
    free(bare);
    return error;
}

/* -------------------------------------------------------------------------------------- calls -- */

bool profiles_calls(const struct profiles *profiles, uint32_t caller, uint32_t callee)
{
    bool *reached = calloc(profiles->relations.texts.count + 1, sizeof *reached), grew = reached != NULL;
    if (reached)
        reached[caller] = true;
    bool found = false;
    while (grew && !found) {
        grew = false;
        for (size_t i = 0; !found && i < profiles_call_count(profiles); i++) {
            const struct profiles_call *call = profiles_call_at(profiles, i);
            if (!reached[call->caller])
                continue;
            found = call->callee == callee;
            grew |= !reached[call->callee];
            reached[call->callee] = true;
        }
    }
    free(reached);
    return found;
}
