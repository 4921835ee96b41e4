/*
 * spec_results.c - the section `results` of the description.
 */
#include <string.h>

#include "collect/experiment/description/spec_read.h"

#define SPEC_COUNT(array) (sizeof(array) / sizeof *(array))

static void spec_add_input(struct spec *spec, struct spec_result *result, enum spec_source source,
                           const struct tree *label, const struct tree *item)
{
    if (item->kind != TREE_TEXT)
        spec_error(spec, item, "%s: names are texts", source == SPEC_FILE ? "file" : "from");
    else if ((source != SPEC_FILE || spec_read_path(spec, item, "file")) &&
             (!label || spec_read_name(spec, label, "name in a figure")))
        result->inputs[result->input_count++] =
            (struct spec_input){.source = source, .name = item->text, .label = label ? label->text : NULL, .at = item};
}

/* NAME, [NAME...] or {LABEL: NAME...}. */
static void spec_add_inputs(struct spec *spec, struct spec_result *result, enum spec_source source,
                            const struct tree *tree)
{
    if (tree && tree->kind == TREE_TEXT)
        spec_add_input(spec, result, source, NULL, tree);
    for (size_t i = 0; tree && tree->kind != TREE_TEXT && i < tree->count; i++)
        spec_add_input(spec, result, source, tree->kind == TREE_MAP ? tree->keys[i] : NULL, tree->items[i]);
}

static void spec_read_inputs(struct spec *spec, const struct tree *item, struct spec_result *result)
{
    const struct tree *from = tree_find(item, "from"), *file = tree_find(item, "file");
    size_t count = 2 + (from ? from->count : 0) + (file ? file->count : 0);
    result->inputs = memory_allocate(spec->memory, count, sizeof *result->inputs);
    spec_add_inputs(spec, result, SPEC_RECORDING, from);
    spec_add_inputs(spec, result, SPEC_FILE, file);
    if (from || file)
        return;
    if (spec->recording_count == 1)
        result->inputs[result->input_count++] =
            (struct spec_input){.source = SPEC_RECORDING, .name = spec->recordings[0].name, .at = item};
    else
        spec_error(spec, result->at, "of which recording? Write from: %s",
                   spec->recording_count ? spec->recordings[0].name : "NAME");
}

/* Names under `from` are recordings, or else files of other results. */
static void spec_find_inputs(struct spec *spec, struct spec_result *result)
{
    const char **names = memory_allocate(spec->memory, spec->recording_count + spec->result_count, sizeof *names);
    for (size_t i = 0; i < result->input_count; i++) {
        struct spec_input *input = &result->inputs[i];
        size_t count = 0;
        bool found = input->source == SPEC_FILE;
        for (size_t r = 0; r < spec->recording_count; r++) {
            names[count++] = spec->recordings[r].name;
            if (!found && strcmp(spec->recordings[r].name, input->name) == 0) {
                input->number = r;
                found = true;
            }
        }
        for (size_t r = 0; r < spec->result_count; r++) {
            if (spec->results[r].kind != SPEC_TABLE)
                continue;
            names[count++] = spec->results[r].name;
            if (!found && strcmp(spec->results[r].name, input->name) == 0) {
                input->source = SPEC_RESULT;
                input->number = r;
                found = true;
            }
        }
        if (!found)
            spec_read_unknown(spec, input->at, "recording or table", input->name, names, count);
    }
}

static void spec_read_result(struct spec *spec, enum spec_kind kind, const struct tree *key, const struct tree *item)
{
    static const char *const keys[] = {"assay", "from", "file", "only"};
    static const char *const whats[] = {"the table's file", "the figure's file", "the page's file"};
    static const char *const refused[][2] = {{"--output", "the result has the name that is given here"},
                                             {"-o", "the result has the name that is given here"},
                                             {"--plot", "a figure belongs to figures:"},
                                             {"--html", "a page belongs to pages:"},
                                             {"--macros", "values of a text belong to values:"},
                                             {"--", "inputs come from the recording"}};
    struct spec_result *result = &spec->results[spec->result_count++];
    const struct tree *line = item;
    *result = (struct spec_result){.kind = kind, .name = key->text, .at = item};
    if (kind == SPEC_VALUE)
        spec_read_value_name(spec, key);
    else
        spec_read_path(spec, key, whats[kind]);
    if (item->kind == TREE_MAP) {
        spec_read_keys(spec, item, "key of a result", keys, SPEC_COUNT(keys));
        line = tree_find(item, "assay");
        spec_read_only(spec, tree_find(item, "only"), &result->only);
    }
    spec_read_inputs(spec, item, result);
    if (!line) {
        spec_error(spec, item, "result %.80s needs a line, as in assay: hot --top 5", result->name);
        return;
    }
    result->at = line;
    spec_read_words(spec, line, "a result", &result->line);
    spec_read_refused(spec, line, &result->line, refused, SPEC_COUNT(refused));
    if (kind != SPEC_VALUE)
        spec_read_braces(spec, key, key->text, NULL);
}

void spec_read_results(struct spec *spec, const struct tree *section)
{
    static const char *const keys[] = {"directory", "tables", "figures", "pages", "values"};
    static const enum spec_kind kinds[] = {SPEC_TABLE, SPEC_FIGURE, SPEC_PAGE, SPEC_VALUE};
    if (!section || !spec_read_map(spec, section, "results"))
        return;
    spec->has_results = true;
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
    for (size_t i = 0; i < spec->result_count; i++)
        spec_find_inputs(spec, &spec->results[i]);
}
