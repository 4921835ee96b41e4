#include "analyze/agree/profiles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void profiles_init(struct profiles *profiles)
{
    *profiles =
        (struct profiles){.runs = {.item_bytes = sizeof(struct profiles_run), .key_bytes = 2 * sizeof(uint32_t)},
                          .entries = {.item_bytes = sizeof(struct profiles_entry), .key_bytes = 3 * sizeof(uint32_t)},
                          .calls = {.item_bytes = sizeof(struct profiles_call), .key_bytes = 2 * sizeof(uint32_t)}};
}

void profiles_free(struct profiles *profiles)
{
    text_set_free(&profiles->texts);
    keyed_free(&profiles->runs);
    keyed_free(&profiles->entries);
    keyed_free(&profiles->calls);
}

uint32_t profiles_run(struct profiles *profiles, const char *profiler, const char *name)
{
    const struct profiles_run run = {.profiler = text_set_add(&profiles->texts, profiler),
                                     .name = text_set_add(&profiles->texts, name)};
    if (run.profiler == TEXT_SET_FULL || run.name == TEXT_SET_FULL)
        return KEYED_FULL;
    return keyed_add(&profiles->runs, &run);
}

int profiles_add(struct profiles *profiles, uint32_t run, uint32_t role, uint32_t method, double weight)
{
    const struct profiles_entry entry = {run, role, method, 0};
    uint32_t at = keyed_add(&profiles->entries, &entry);
    if (at == KEYED_FULL)
        return ENOMEM;
    ((struct profiles_entry *)keyed_at(&profiles->entries, at))->weight += weight;
    return 0;
}

int profiles_add_call(struct profiles *profiles, uint32_t caller, uint32_t callee)
{
    const struct profiles_call call = {caller, callee};
    return keyed_add(&profiles->calls, &call) == KEYED_FULL ? ENOMEM : 0;
}

static int profiles_join_runs(struct profiles *profiles, const struct profiles *other, uint32_t *runs)
{
    for (size_t i = 0; i < other->runs.count; i++) {
        const struct profiles_run *run = keyed_at(&other->runs, i);
        runs[i] = profiles_run(profiles, other->texts.texts[run->profiler], other->texts.texts[run->name]);
        if (runs[i] == KEYED_FULL)
            return ENOMEM;
        struct profiles_run *into = keyed_at(&profiles->runs, runs[i]);
        into->cpu_ns += run->cpu_ns;
        into->sampled_ns += run->sampled_ns;
        into->wall_ns = run->wall_ns > into->wall_ns ? run->wall_ns : into->wall_ns;
        into->command_cpu_ns = run->command_cpu_ns > into->command_cpu_ns ? run->command_cpu_ns : into->command_cpu_ns;
    }
    return 0;
}

static int profiles_join_rest(struct profiles *profiles, const struct profiles *other, const uint32_t *texts,
                              const uint32_t *runs)
{
    int error = 0;
    for (size_t i = 0; !error && i < other->entries.count; i++) {
        const struct profiles_entry *entry = keyed_at(&other->entries, i);
        error = profiles_add(profiles, runs[entry->run], entry->role, texts[entry->method], entry->weight);
    }
    for (size_t i = 0; !error && i < other->calls.count; i++) {
        const struct profiles_call *call = keyed_at(&other->calls, i);
        error = profiles_add_call(profiles, texts[call->caller], texts[call->callee]);
    }
    return error;
}

/* `names`: for each text of other, the one that methods of this name are joined as; NULL: itself. */
static int profiles_join_renamed(struct profiles *profiles, const struct profiles *other, const uint32_t *names)
{
    uint32_t *texts = malloc((other->texts.count + 1) * sizeof *texts);
    uint32_t *runs = malloc((other->runs.count + 1) * sizeof *runs);
    int error = texts && runs ? 0 : ENOMEM;
    for (uint32_t i = 0; !error && i < other->texts.count; i++) {
        texts[i] = text_set_add(&profiles->texts, other->texts.texts[names ? names[i] : i]);
        error = texts[i] == TEXT_SET_FULL ? ENOMEM : 0;
    }
    if (!error)
        error = profiles_join_runs(profiles, other, runs);
    if (!error)
        error = profiles_join_rest(profiles, other, texts, runs);
    free(texts);
    free(runs);
    return error;
}

int profiles_join(struct profiles *profiles, const struct profiles *other)
{
    return profiles_join_renamed(profiles, other, NULL);
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
    const struct profiles_run *run = keyed_at(&profiles->runs, entry->run);
    return (struct distinguished){run->profiler, name};
}

/* Keeps of the bare names only those that a profiler has which knows no parameters of theirs; the others stay. */
static int profiles_restore_ambiguous(const struct profiles *profiles, uint32_t *bare, size_t *count)
{
    struct keyed set = {.item_bytes = sizeof(struct distinguished), .key_bytes = sizeof(struct distinguished)};
    bool *wanted = calloc(profiles->texts.count + 1, sizeof *wanted);
    int error = wanted ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < profiles->entries.count; i++) {
        const struct profiles_entry *entry = keyed_at(&profiles->entries, i);
        const struct distinguished key = profiles_method_key(profiles, entry, bare[entry->method]);
        if (bare[entry->method] != entry->method && keyed_add(&set, &key) == KEYED_FULL)
            error = ENOMEM;
    }
    for (size_t i = 0, had = set.count; !error && i < profiles->entries.count; i++) {
        const struct profiles_entry *entry = keyed_at(&profiles->entries, i);
        const struct distinguished key = profiles_method_key(profiles, entry, entry->method);
        uint32_t at = bare[entry->method] == entry->method ? keyed_add(&set, &key) : 0;
        if (at == KEYED_FULL)
            error = ENOMEM;
        else if (bare[entry->method] == entry->method && at >= had)
            wanted[entry->method] = true;
    }
    *count = 0;
    for (uint32_t i = 0; !error && i < profiles->texts.count; i++) {
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
    uint32_t *bare = profiles_bare_names(&profiles->texts);
    int error = bare ? profiles_restore_ambiguous(profiles, bare, count) : ENOMEM;
    if (!error && *count > 0)
        error = profiles_join_renamed(into, profiles, bare);
    free(bare);
    return error;
}

/* -------------------------------------------------------------------------------------- JSON -- */

json_t *profiles_save(const struct profiles *profiles)
{
    json_t *saved = json_pack("{s:[], s:[], s:[], s:[]}", "texts", "runs", "entries", "calls");
    if (!saved)
        return NULL;
    for (uint32_t i = 0; i < profiles->texts.count; i++)
        json_array_append_new(json_object_get(saved, "texts"), json_string_nocheck(profiles->texts.texts[i]));
    for (size_t i = 0; i < profiles->runs.count; i++) {
        const struct profiles_run *run = keyed_at(&profiles->runs, i);
        json_array_append_new(json_object_get(saved, "runs"),
                              json_pack("[I, I, I, I, I, I]", (json_int_t)run->profiler, (json_int_t)run->name,
                                        (json_int_t)run->cpu_ns, (json_int_t)run->sampled_ns, (json_int_t)run->wall_ns,
                                        (json_int_t)run->command_cpu_ns));
    }
    for (size_t i = 0; i < profiles->entries.count; i++) {
        const struct profiles_entry *entry = keyed_at(&profiles->entries, i);
        json_array_append_new(json_object_get(saved, "entries"),
                              json_pack("[I, I, I, f]", (json_int_t)entry->run, (json_int_t)entry->role,
                                        (json_int_t)entry->method, entry->weight));
    }
    for (size_t i = 0; i < profiles->calls.count; i++) {
        const struct profiles_call *call = keyed_at(&profiles->calls, i);
        json_array_append_new(json_object_get(saved, "calls"),
                              json_pack("[I, I]", (json_int_t)call->caller, (json_int_t)call->callee));
    }
    return saved;
}

static bool profiles_is_below(json_int_t number, size_t count)
{
    return number >= 0 && (uint64_t)number < count;
}

static int profiles_load_runs(struct profiles *profiles, const json_t *saved)
{
    size_t i;
    json_t *item;
    json_int_t profiler, name, cpu_ns, sampled_ns, wall_ns, command_cpu_ns;
    json_array_foreach(saved, i, item)
    {
        if (json_unpack(item, "[I, I, I, I, I, I]", &profiler, &name, &cpu_ns, &sampled_ns, &wall_ns,
                        &command_cpu_ns) ||
            !profiles_is_below(profiler, profiles->texts.count) || !profiles_is_below(name, profiles->texts.count) ||
            cpu_ns < 0 || sampled_ns < 0 || wall_ns < 0 || command_cpu_ns < 0)
            return EINVAL;
        const struct profiles_run run = {(uint32_t)profiler,   (uint32_t)name,    (uint64_t)cpu_ns,
                                         (uint64_t)sampled_ns, (uint64_t)wall_ns, (uint64_t)command_cpu_ns};
        if (keyed_add(&profiles->runs, &run) == KEYED_FULL)
            return ENOMEM;
    }
    return 0;
}

static int profiles_load_entries(struct profiles *profiles, const json_t *saved)
{
    size_t i;
    json_t *item;
    json_int_t run, role, method;
    double weight;
    int error = 0;
    json_array_foreach(saved, i, item)
    {
        if (json_unpack(item, "[I, I, I, F]", &run, &role, &method, &weight) ||
            !profiles_is_below(run, profiles->runs.count) || !profiles_is_below(role, PROFILES_ROLES) ||
            !profiles_is_below(method, profiles->texts.count) || !(weight >= 0))
            return EINVAL;
        error = profiles_add(profiles, (uint32_t)run, (uint32_t)role, (uint32_t)method, weight);
        if (error)
            break;
    }
    return error;
}

static int profiles_load_calls(struct profiles *profiles, const json_t *saved)
{
    size_t i;
    json_t *item;
    json_int_t caller, callee;
    int error = 0;
    json_array_foreach(saved, i, item)
    {
        if (json_unpack(item, "[I, I]", &caller, &callee) || !profiles_is_below(caller, profiles->texts.count) ||
            !profiles_is_below(callee, profiles->texts.count))
            return EINVAL;
        error = profiles_add_call(profiles, (uint32_t)caller, (uint32_t)callee);
        if (error)
            break;
    }
    return error;
}

int profiles_load(struct profiles *profiles, const json_t *saved)
{
    size_t i;
    json_t *text;
    const char *const parts[] = {"texts", "runs", "entries", "calls"};
    for (size_t part = 0; part < 4; part++)
        if (!json_is_array(json_object_get(saved, parts[part])))
            return EINVAL;
    json_array_foreach(json_object_get(saved, "texts"), i, text)
    {
        if (!json_is_string(text))
            return EINVAL;
        uint32_t number = text_set_add(&profiles->texts, json_string_value(text));
        if (number != i)
            return number == TEXT_SET_FULL ? ENOMEM : EINVAL;
    }
    int error = profiles_load_runs(profiles, json_object_get(saved, "runs"));
    if (!error)
        error = profiles_load_entries(profiles, json_object_get(saved, "entries"));
    return error ? error : profiles_load_calls(profiles, json_object_get(saved, "calls"));
}

/* -------------------------------------------------------------------------------------- calls -- */

bool profiles_calls(const struct profiles *profiles, uint32_t caller, uint32_t callee)
{
    bool *reached = calloc(profiles->texts.count + 1, sizeof *reached), grew = reached != NULL;
    if (reached)
        reached[caller] = true;
    bool found = false;
    while (grew && !found) {
        grew = false;
        for (size_t i = 0; !found && i < profiles->calls.count; i++) {
            const struct profiles_call *call = keyed_at(&profiles->calls, i);
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
