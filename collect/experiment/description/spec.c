/*
 * spec.c - the sections of the description, from `programs` to `results`.
 */
#include "collect/experiment/description/spec.h"

#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "collect/experiment/description/spec_read.h"

#define SPEC_COUNT(array) (sizeof(array) / sizeof *(array))

size_t spec_level_count(const struct spec *spec, size_t variable)
{
    return variable == 0 ? spec->program_count : spec->factors[variable - 1].level_count;
}

const char *spec_variable_name(const struct spec *spec, size_t variable)
{
    return variable == 0 ? "program" : spec->factors[variable - 1].name;
}

const char *spec_level_name(const struct spec *spec, size_t variable, size_t level)
{
    return variable == 0 ? spec->programs[level].name : spec->factors[variable - 1].levels[level].name;
}

size_t spec_find_variable(const struct spec *spec, const char *name, size_t length)
{
    for (size_t variable = 0; variable <= spec->factor_count; variable++) {
        const char *known = spec_variable_name(spec, variable);
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return variable;
    }
    return SIZE_MAX;
}

/* ------------------------------------------------------------------------------------------------- factors -- */

/* NAME, or NAME: TEXT, or NAME: {text: TEXT, environment: {...}}. */
static void spec_add_level(struct spec *spec, struct spec_factor *factor, const struct tree *key,
                           const struct tree *value)
{
    static const char *const keys[] = {"text", "environment"};
    struct spec_level *level = &factor->levels[factor->level_count++];
    struct error_text message;
    level->name = key->text;
    level->text = "";
    if (!spec_read_name(spec, key, "level"))
        return;
    if (value->kind == TREE_TEXT) {
        level->text = value->text;
    } else if (spec_read_map(spec, value, "a level")) {
        const struct tree *text = tree_find(value, "text");
        spec_read_keys(spec, value, "key of a level", keys, SPEC_COUNT(keys));
        if (text && text->kind == TREE_TEXT)
            level->text = text->text;
        else if (text)
            spec_error(spec, text, "text must be a text");
        spec_read_environment(spec, tree_find(value, "environment"), &level->environment);
        factor->sets_environment |= level->environment.count > 0;
    }
    if (words_split(spec->memory, level->text, &level->words, &message) != 0)
        spec_error(spec, value, "level %s: %s", level->name, message.text);
}

/* It must be a name in braces, and a column of the table of runs, see runs_table.c. */
static void spec_check_factor_name(struct spec *spec, const struct tree *key)
{
    static const char *const columns[] = {"recording", "program", "clock",    "round", "machine",  "load",
                                          "wall_s",    "user_s",  "system_s", "cpu_s", "stolen_s", "max_rss_bytes"};
    const char *text = memory_print(spec->memory, "{%s}", key->text);
    struct words_part part = {0};
    size_t end = 0;
    if (!spec_read_name(spec, key, "factor"))
        return;
    for (size_t i = 0; i < SPEC_COUNT(columns); i++)
        if (strcmp(key->text, columns[i]) == 0)
            spec_error(spec, key, "a factor can't be called %s: the table of runs has another column of that name",
                       columns[i]);
    if (!words_next_part(text, &end, &part) || !part.is_name)
        spec_error(
            spec, key,
            "factor '%.80s': its name begins with a letter and has no '.' or '+', so that it can stand in braces",
            key->text);
}

static void spec_add_factor(struct spec *spec, const struct tree *key, const struct tree *levels)
{
    struct spec_factor *factor = &spec->factors[spec->factor_count++];
    factor->name = key->text;
    factor->levels = memory_allocate(spec->memory, levels->count + 1, sizeof *factor->levels);
    spec_check_factor_name(spec, key);
    if (levels->kind == TREE_TEXT || levels->count == 0) {
        spec_error(spec, levels, "factor %s needs levels, as in {small: -n 1, large: -n 9} or [small, large]",
                   key->text);
        return;
    }
    for (size_t i = 0; i < levels->count; i++) {
        const struct tree *name = levels->kind == TREE_MAP ? levels->keys[i] : levels->items[i];
        if (name->kind != TREE_TEXT) {
            spec_error(spec, name, "a level must be a text here");
            continue;
        }
        for (size_t before = 0; before < factor->level_count; before++)
            if (strcmp(factor->levels[before].name, name->text) == 0)
                spec_error(spec, name, "level '%.80s' is given twice", name->text);
        spec_add_level(spec, factor, name, levels->items[i]);
    }
}

static void spec_read_factors(struct spec *spec, const struct tree *section)
{
    size_t count = section && section->kind == TREE_MAP ? section->count : 0;
    if (count > SPEC_FACTORS_MAX) {
        spec_error(spec, section, "%zu factors; at most %d are possible", count, (int)SPEC_FACTORS_MAX);
        count = 0;
    }
    spec->factors = memory_allocate(spec->memory, SPEC_FACTORS_MAX, sizeof *spec->factors);
    if (section && spec_read_map(spec, section, "factors"))
        for (size_t i = 0; i < count; i++)
            spec_add_factor(spec, section->keys[i], section->items[i]);
}

/* ------------------------------------------------------------------------------------------------ programs -- */

static void spec_mark_uses(struct spec *spec, struct spec_program *program)
{
    for (size_t i = 0; i < program->command.count; i++)
        spec_read_braces(spec, program->at, program->command.list[i], program->uses);
    for (size_t i = 0; i < program->environment.count; i++)
        spec_read_braces(spec, program->at, program->environment.values[i], program->uses);
    if (program->directory)
        spec_read_braces(spec, program->at, program->directory, program->uses);
    if (program->input)
        spec_read_braces(spec, program->at, program->input, program->uses);
    for (size_t f = 0; f < spec->factor_count; f++)
        program->uses[f] |= spec->factors[f].sets_environment;
}

static void spec_read_programs(struct spec *spec, const struct tree *section)
{
    static const char *const keys[] = {"command", "directory", "input", "environment"};
    if (!section)
        spec_error(spec, NULL, "programs: is missing; it names the programs and their command lines");
    if (!section || !spec_read_map(spec, section, "programs"))
        return;
    spec->programs = memory_allocate(spec->memory, section->count, sizeof *spec->programs);
    for (size_t i = 0; i < section->count; i++) {
        const struct tree *item = section->items[i], *command = item;
        struct spec_program *program = &spec->programs[spec->program_count++];
        program->name = section->keys[i]->text;
        program->at = item;
        spec_read_name(spec, section->keys[i], "program");
        if (item->kind == TREE_MAP) {
            spec_read_keys(spec, item, "key of a program", keys, SPEC_COUNT(keys));
            command = tree_find(item, "command");
            program->directory = spec_read_text(spec, tree_find(item, "directory"), "directory");
            program->input = spec_read_text(spec, tree_find(item, "input"), "input");
            spec_read_environment(spec, tree_find(item, "environment"), &program->environment);
        }
        if (!command)
            spec_error(spec, item, "program %.80s needs a command", program->name);
        else
            program->at = command;
        spec_read_words(spec, command, "a command", &program->command);
        spec_mark_uses(spec, program);
    }
}

static void spec_check_factors(struct spec *spec, const struct tree *section)
{
    for (size_t f = 0; f < spec->factor_count; f++) {
        bool used = false;
        for (size_t p = 0; p < spec->program_count; p++)
            used |= spec->programs[p].uses[f];
        if (!used && spec->program_count > 0)
            spec_error(spec, section->keys[f], "factor %.80s changes nothing: write {%.80s} into a command",
                       spec->factors[f].name, spec->factors[f].name);
    }
}

/* ---------------------------------------------------------------------------------------------- recordings -- */

/* SHARE, or {half_width: SHARE, of: COLUMN, most: ROUNDS}. */
static void spec_read_until(struct spec *spec, const struct tree *item, struct spec_recording *recording)
{
    static const char *const keys[] = {"half_width", "of", "most"};
    static const char *const columns[] = {"wall_s", "user_s", "system_s", "cpu_s", "max_rss_bytes"};
    const struct tree *share = item, *of = NULL;
    recording->until_of = columns[0];
    recording->until_most = 100;
    if (!item)
        return;
    if (item->kind == TREE_MAP) {
        spec_read_keys(spec, item, "key of until", keys, SPEC_COUNT(keys));
        share = tree_find(item, "half_width");
        of = tree_find(item, "of");
        spec_read_count(spec, tree_find(item, "most"), "most", 1, &recording->until_most);
    }
    if (!share || share->kind != TREE_TEXT || !quantity_share(share->text, &recording->until) || recording->until <= 0)
        spec_error(spec, share ? share : item, "until: a half-width is wanted, as in 1%%: a share of the mean");
    if (spec_read_text(spec, of, "of"))
        recording->until_of = of->text;
    bool known = false;
    for (size_t i = 0; i < SPEC_COUNT(columns); i++)
        known |= strcmp(columns[i], recording->until_of) == 0;
    if (!known)
        spec_read_unknown(spec, of, "the column", recording->until_of, columns, SPEC_COUNT(columns));
}

/* The program, by the first words of the line, and the options that it must not have. */
static void spec_read_recorder(struct spec *spec, struct spec_recording *recording)
{
    static const char *const refused[][2] = {{"--runs", "the experiment chooses it; see rounds"},
                                             {"--output", "the experiment chooses where recordings go"},
                                             {"-o", "the experiment chooses where recordings go"},
                                             {"--", "the command belongs to programs"},
                                             {"--seed", "the experiment chooses it; see seed at the top of the file"},
                                             {"--dry-run", "it makes no recording"},
                                             {"--plan", "it makes no recording"},
                                             {"--from", "traces of other recordings are not possible here"},
                                             {"--report", "it belongs to results"},
                                             {"--format", "it belongs to results"}};
    static const char *const refused_of_record[][2] = {
        {"--runs", "the experiment chooses it; see rounds"},
        {"--warmup", "the experiment chooses it; see warmup"},
        {"--seed", "the experiment chooses it; see seed at the top of the file"},
        {"--output", "the experiment chooses where recordings go"},
        {"-o", "the experiment chooses where recordings go"},
        {"--overwrite", "remove the directory of the recording instead"},
        {"--check", "it keeps no trace"},
        {"--input", "it belongs to a program: input"},
        {"--", "the command belongs to programs"}};
    const struct words *line = &recording->line;
    const char *first = line->count > 0 ? line->list[0] : "record", *second = line->count > 1 ? line->list[1] : "";
    if (strcmp(first, "inject") == 0)
        recording->recorder = SPEC_INJECT;
    else if (strcmp(first, "audit") == 0 && strcmp(second, "profiler") == 0)
        recording->recorder = SPEC_AUDIT;
    else if (strcmp(first, "record") != 0)
        spec_error(spec, recording->at, "a recording begins with record, inject or audit profiler, not '%.80s'", first);
    if (recording->recorder == SPEC_RECORD) {
        spec_read_refused(spec, recording->at, line, refused_of_record, SPEC_COUNT(refused_of_record));
        return;
    }
    spec_read_refused(spec, recording->at, line, refused, SPEC_COUNT(refused));
    recording->runs = recording->rounds;
    recording->rounds = 1;
    recording->warmup = 0;
    recording->until = 0;
}

/* A line that says how runs with injected work are recorded. */
static void spec_read_profile(struct spec *spec, struct spec_recording *recording, const struct tree *line)
{
    spec_read_words(spec, line, "record", &recording->profile);
    if (!line)
        return;
    if (recording->recorder != SPEC_INJECT)
        spec_error(spec, line, "record: belongs to recordings of assay inject");
    else if (recording->profile.count > 0 && strcmp(recording->profile.list[0], "record") != 0)
        spec_error(spec, line, "record: a line of assay record is wanted, as in record --period 2ms");
}

static void spec_read_recording(struct spec *spec, struct spec_recording *recording, const struct tree *item)
{
    static const char *const keys[] = {"assay", "record", "rounds", "warmup", "until", "only"};
    const struct tree *line = item, *until = tree_find(item, "until");
    spec_read_until(spec, until ? until : spec->until, recording);
    if (item->kind == TREE_MAP) {
        spec_read_keys(spec, item, "key of a recording", keys, SPEC_COUNT(keys));
        line = tree_find(item, "assay");
        spec_read_count(spec, tree_find(item, "rounds"), "rounds", 1, &recording->rounds);
        spec_read_count(spec, tree_find(item, "warmup"), "warmup", 0, &recording->warmup);
        spec_read_only(spec, tree_find(item, "only"), &recording->only);
    }
    if (!line) {
        spec_error(spec, item, "recording %.80s needs a line, as in assay: record --mode cpu", recording->name);
        return;
    }
    recording->at = line;
    spec_read_words(spec, line, "a recording", &recording->line);
    if (recording->rounds == 0)
        spec_error(spec, item, "how many runs? Write rounds: 10, here or at the top of the file");
    spec_read_recorder(spec, recording);
    spec_read_profile(spec, recording, tree_find(item, "record"));
    if (recording->recorder != SPEC_RECORD && (until || tree_find(item, "warmup")))
        spec_error(spec, item, "until and warmup are possible for recordings of assay record alone");
}

static void spec_read_recordings(struct spec *spec, const struct tree *section)
{
    if (!section)
        spec_error(spec, NULL, "recordings: is missing; it says how programs are recorded, as in cpu: record");
    if (!section || !spec_read_map(spec, section, "recordings"))
        return;
    spec->recordings = memory_allocate(spec->memory, section->count, sizeof *spec->recordings);
    for (size_t i = 0; i < section->count; i++) {
        struct spec_recording *recording = &spec->recordings[spec->recording_count++];
        *recording = (struct spec_recording){
            .name = section->keys[i]->text, .at = section->items[i], .rounds = spec->rounds, .warmup = spec->warmup};
        spec_read_name(spec, section->keys[i], "recording");
        spec_read_recording(spec, recording, section->items[i]);
    }
}

/* ----------------------------------------------------------------------------------------------- the file -- */

/* STEM.data beside the file. */
static const char *spec_data_default(struct obstack *memory, const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *dot = strrchr(name, '.');
    return memory_print(memory, "%.*s.data", (int)(dot && dot > name ? dot - name : (long)strlen(name)), name);
}

int spec_read(struct obstack *memory, const char *path, struct spec *spec)
{
    static const char *const keys[] = {"programs", "factors", "recordings", "results", "rounds",   "warmup",
                                       "until",    "seed",    "data",       "title",   "question", "method"};
    const struct tree *root;
    struct error_text message;
    *spec = (struct spec){.memory = memory, .path = path, .directory = ""};
    if (tree_read(memory, path, &root, &message) != 0) {
        spec->errors[spec->error_count++] = memory_print(memory, "%s", message.text);
        return STATUS_BAD;
    }
    spec->data = spec_data_default(memory, path);
    if (root->kind != TREE_MAP) {
        spec_error(spec, root, "an experiment is a map: programs:, recordings:, results:, rounds: …");
        return STATUS_BAD;
    }
    spec_read_keys(spec, root, "key", keys, SPEC_COUNT(keys));
    const struct tree *seed = tree_find(root, "seed"), *data = tree_find(root, "data");
    if (tree_find(root, "rounds") && !spec_read_count(spec, tree_find(root, "rounds"), "rounds", 1, &spec->rounds))
        spec->rounds = 1;
    spec_read_count(spec, tree_find(root, "warmup"), "warmup", 0, &spec->warmup);
    spec->seed_given = spec_read_count(spec, seed, "seed", 0, &spec->seed);
    if (data && spec_read_path(spec, data, "data"))
        spec->data = data->text;
    else if (!data && *spec->data == '-')
        spec_error(spec, root,
                   "this file's name begins with '-', and so would its directory of recordings: write data: NAME");
    spec->title = spec_read_text(spec, tree_find(root, "title"), "title");
    spec->question = spec_read_text(spec, tree_find(root, "question"), "question");
    spec->method = spec_read_text(spec, tree_find(root, "method"), "method");
    spec->until = tree_find(root, "until");
    spec_read_factors(spec, tree_find(root, "factors"));
    spec_read_programs(spec, tree_find(root, "programs"));
    spec_check_factors(spec, tree_find(root, "factors"));
    spec_read_recordings(spec, tree_find(root, "recordings"));
    spec_read_results(spec, tree_find(root, "results"));
    return spec->error_count ? STATUS_BAD : STATUS_GOOD;
}
