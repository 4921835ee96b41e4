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

/* Options that the experiment gives itself. */
static void spec_refuse_options(struct spec *spec, const struct tree *at, const struct words *line,
                                const char *const (*refused)[2], size_t count)
{
    for (size_t i = 1; i < line->count; i++)
        for (size_t r = 0; r < count; r++) {
            const char *word = line->list[i], *option = refused[r][0];
            size_t length = strlen(option);
            bool is_long = option[1] == '-', given = strncmp(word, option, length) == 0;
            size_t written = strcspn(word, "="); /* a long option may be abbreviated */
            if (is_long)
                given = written == length ? given : written > 2 && strncmp(word, option, written) == 0;
            if (given)
                spec_error(spec, at, "%s: %s", option, refused[r][1]);
        }
}

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

static void spec_read_recording(struct spec *spec, struct spec_recording *recording, const struct tree *item)
{
    static const char *const keys[] = {"assay", "rounds", "warmup", "until", "only"};
    static const char *const refused[][2] = {{"--runs", "the experiment chooses it; see rounds"},
                                             {"--warmup", "the experiment chooses it; see warmup"},
                                             {"--seed", "the experiment chooses it; see seed at the top of the file"},
                                             {"--output", "the experiment chooses where recordings go"},
                                             {"-o", "the experiment chooses where recordings go"},
                                             {"--overwrite", "remove the directory of the recording instead"},
                                             {"--check", "it keeps no trace"},
                                             {"--input", "it belongs to a program: input"},
                                             {"--", "the command belongs to programs"}};
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
    if (recording->line.count > 0 && strcmp(recording->line.list[0], "record") != 0)
        spec_error(spec, line, "a recording begins with record, not '%.80s'", recording->line.list[0]);
    spec_refuse_options(spec, line, &recording->line, refused, SPEC_COUNT(refused));
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
        if (recording->rounds == 0)
            spec_error(spec, section->items[i], "how many runs? Write rounds: 10, here or at the top of the file");
    }
}

/* ------------------------------------------------------------------------------------------------- results -- */

static void spec_add_from(struct spec *spec, const struct tree *item, size_t *from, size_t *count)
{
    const char **names = memory_allocate(spec->memory, spec->recording_count, sizeof *names);
    if (item->kind != TREE_TEXT) {
        spec_error(spec, item, "from: names of recordings are texts");
        return;
    }
    for (size_t i = 0; i < spec->recording_count; i++) {
        names[i] = spec->recordings[i].name;
        if (strcmp(names[i], item->text) == 0) {
            from[(*count)++] = i;
            return;
        }
    }
    spec_read_unknown(spec, item, "recording", item->text, names, spec->recording_count);
}

static void spec_read_from(struct spec *spec, const struct tree *tree, struct spec_result *result)
{
    size_t *from = memory_allocate(spec->memory, tree && tree->kind == TREE_LIST ? tree->count + 1 : 1, sizeof *from);
    result->from = from;
    if (!tree && spec->recording_count == 1)
        result->from_count = 1;
    else if (!tree)
        spec_error(spec, result->at, "of which recording? Write from: %s",
                   spec->recording_count ? spec->recordings[0].name : "NAME");
    else if (tree->kind != TREE_LIST)
        spec_add_from(spec, tree, from, &result->from_count);
    for (size_t i = 0; tree && tree->kind == TREE_LIST && i < tree->count; i++)
        spec_add_from(spec, tree->items[i], from, &result->from_count);
}

static void spec_read_result(struct spec *spec, enum spec_kind kind, const struct tree *key, const struct tree *item)
{
    static const char *const keys[] = {"assay", "from", "only"};
    static const char *const refused[][2] = {{"--output", "the result has the name that is given here"},
                                             {"-o", "the result has the name that is given here"},
                                             {"--plot", "a figure belongs to figures:"},
                                             {"--", "inputs come from the recording"}};
    struct spec_result *result = &spec->results[spec->result_count++];
    const struct tree *line = item;
    *result = (struct spec_result){.kind = kind, .name = key->text, .at = item};
    if (kind == SPEC_VALUE)
        spec_read_value_name(spec, key);
    else
        spec_read_path(spec, key, kind == SPEC_TABLE ? "the table's file" : "the figure's file");
    if (item->kind == TREE_MAP) {
        spec_read_keys(spec, item, "key of a result", keys, SPEC_COUNT(keys));
        line = tree_find(item, "assay");
        spec_read_only(spec, tree_find(item, "only"), &result->only);
    }
    spec_read_from(spec, tree_find(item, "from"), result);
    if (!line) {
        spec_error(spec, item, "result %.80s needs a line, as in assay: hot --top 5", result->name);
        return;
    }
    result->at = line;
    spec_read_words(spec, line, "a result", &result->line);
    spec_refuse_options(spec, line, &result->line, refused, SPEC_COUNT(refused));
    if (kind != SPEC_VALUE)
        spec_read_braces(spec, key, key->text, NULL);
}

static void spec_read_results(struct spec *spec, const struct tree *section)
{
    static const char *const keys[] = {"directory", "tables", "figures", "values"};
    static const enum spec_kind kinds[] = {SPEC_TABLE, SPEC_FIGURE, SPEC_VALUE};
    if (!section || !spec_read_map(spec, section, "results"))
        return;
    spec_read_keys(spec, section, "key of results", keys, SPEC_COUNT(keys));
    const struct tree *directory = tree_find(section, "directory");
    if (directory && spec_read_path(spec, directory, "directory"))
        spec->directory = directory->text;
    size_t count = 0;
    for (size_t k = 1; k < SPEC_COUNT(keys); k++) {
        const struct tree *kind = tree_find(section, keys[k]);
        count += kind && kind->kind == TREE_MAP ? kind->count : 0;
    }
    spec->results = memory_allocate(spec->memory, count + 1, sizeof *spec->results);
    for (size_t k = 1; k < SPEC_COUNT(keys); k++) {
        const struct tree *kind = tree_find(section, keys[k]);
        if (kind && spec_read_map(spec, kind, keys[k]))
            for (size_t i = 0; i < kind->count; i++)
                spec_read_result(spec, kinds[k - 1], kind->keys[i], kind->items[i]);
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
    static const char *const keys[] = {"programs", "factors", "recordings", "results", "rounds",
                                       "warmup",   "until",   "seed",       "data"};
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
    spec->until = tree_find(root, "until");
    spec_read_factors(spec, tree_find(root, "factors"));
    spec_read_programs(spec, tree_find(root, "programs"));
    spec_check_factors(spec, tree_find(root, "factors"));
    spec_read_recordings(spec, tree_find(root, "recordings"));
    spec_read_results(spec, tree_find(root, "results"));
    return spec->error_count ? STATUS_BAD : STATUS_GOOD;
}
