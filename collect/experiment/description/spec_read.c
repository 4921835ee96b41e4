#include "collect/experiment/description/spec_read.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "base/suggest.h"
#include "base/text.h"

enum { SPEC_NAME_MAX = 64 };

void spec_error(struct spec *spec, const struct tree *at, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_tame(text);
    if (spec->error_count < SPEC_ERRORS_MAX)
        spec->errors[spec->error_count] =
            at ? memory_print(spec->memory, "%s:%zu:%zu: %s", spec->path, at->line, at->column, text)
               : memory_print(spec->memory, "%s: %s", spec->path, text);
    spec->error_count++;
}

void spec_read_unknown(struct spec *spec, const struct tree *at, const char *what, const char *name,
                       const char *const *names, size_t count)
{
    char list[400] = "";
    const char *suggested = suggest_name(name, names, count);
    for (size_t i = 0; i < count; i++)
        error_list(list, sizeof list, names[i]);
    if (suggested)
        spec_error(spec, at, "%s '%.80s' is unknown (did you mean %s?)", what, name, suggested);
    else
        spec_error(spec, at, "%s '%.80s' is unknown; %s%s", what, name, count ? "it is one of " : "there is none",
                   list);
}

const char *spec_read_text(struct spec *spec, const struct tree *tree, const char *what)
{
    if (!tree)
        return NULL;
    if (tree->kind == TREE_TEXT && *tree->text)
        return tree->text;
    spec_error(spec, tree, "%s must be a text, not %s", what,
               tree->kind == TREE_TEXT ? "an empty one" : tree_kind_text(tree));
    return NULL;
}

bool spec_read_count(struct spec *spec, const struct tree *tree, const char *what, uint64_t least, uint64_t *value)
{
    enum { MOST = 100000 };
    uint64_t count;
    if (!tree)
        return false;
    if (tree->kind == TREE_TEXT && quantity_count(tree->text, &count) && count >= least && count <= MOST) {
        *value = count;
        return true;
    }
    spec_error(spec, tree, "%s must be a whole number from %d to %d", what, (int)least, (int)MOST);
    return false;
}

bool spec_read_map(struct spec *spec, const struct tree *tree, const char *what)
{
    if (tree && tree->kind == TREE_MAP && tree->count > 0)
        return true;
    if (tree)
        spec_error(spec, tree, "%s must be a map, with NAME: VALUE on each line", what);
    return false;
}

void spec_read_keys(struct spec *spec, const struct tree *map, const char *what, const char *const *keys, size_t count)
{
    for (size_t i = 0; map->kind == TREE_MAP && i < map->count; i++) {
        bool known = false;
        for (size_t k = 0; k < count; k++)
            known |= strcmp(map->keys[i]->text, keys[k]) == 0;
        if (!known)
            spec_read_unknown(spec, map->keys[i], what, map->keys[i]->text, keys, count);
    }
}

bool spec_read_name(struct spec *spec, const struct tree *key, const char *what)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const char *name = key->text;
    size_t length = strlen(name);
    if (length > 0 && length <= SPEC_NAME_MAX && strchr(LETTERS, *name)) {
        size_t good = 0;
        while (name[good] && (strchr(LETTERS, name[good]) || strchr("._+-", name[good])))
            good++;
        if (good == length)
            return true;
    }
    spec_error(spec, key,
               "%s '%.80s': a name has up to %d letters, digits, '.', '_', '+' and '-', and begins with a letter or "
               "digit",
               what, name, (int)SPEC_NAME_MAX);
    return false;
}

bool spec_read_value_name(struct spec *spec, const struct tree *key)
{
    struct words_part part;
    bool good = *key->text != '\0';
    for (size_t at = 0; words_next_part(key->text, &at, &part);)
        for (size_t i = 0; i < part.length && !part.is_name; i++)
            good &= strchr("._+-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", part.text[i]) != NULL;
    if (!good)
        spec_error(spec, key, "value '%.80s': a name has letters, digits, '.', '_', '+' and '-', and names in braces",
                   key->text);
    return good;
}

bool spec_read_path(struct spec *spec, const struct tree *tree, const char *what)
{
    const char *path = spec_read_text(spec, tree, what), *wrong = NULL;
    if (!path)
        return false;
    if (*path == '/')
        wrong = "it must be relative to the directory of this file";
    else if (*path == '-')
        wrong = "programs take what begins with '-' for an option";
    for (const char *part = path; !wrong && part; part = strchr(part, '/'), part += part != NULL) {
        size_t length = strcspn(part, "/");
        if (length == 2 && strncmp(part, "..", 2) == 0)
            wrong = "it must stay in the directory of this file";
        else if (length == 0 || *part == '.')
            wrong = "its parts must not be empty or begin with a dot";
    }
    for (const char *at = path; !wrong && *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            wrong = "it has a control character";
    if (wrong)
        spec_error(spec, tree, "%s '%.200s': %s", what, path, wrong);
    return !wrong;
}

void spec_read_words(struct spec *spec, const struct tree *tree, const char *what, struct words *words)
{
    struct error_text message;
    const char *text = spec_read_text(spec, tree, what);
    if (text && words_split(spec->memory, text, words, &message) != 0)
        spec_error(spec, tree, "%s: %s", what, message.text);
    else if (text && words->count == 0)
        spec_error(spec, tree, "%s has no word", what);
}

void spec_read_environment(struct spec *spec, const struct tree *tree, struct spec_environment *environment)
{
    if (!tree || !spec_read_map(spec, tree, "environment"))
        return;
    environment->names = memory_allocate(spec->memory, tree->count, sizeof *environment->names);
    environment->values = memory_allocate(spec->memory, tree->count, sizeof *environment->values);
    for (size_t i = 0; i < tree->count; i++) {
        const char *name = tree->keys[i]->text;
        if (!*name || strchr(name, '='))
            spec_error(spec, tree->keys[i], "'%.80s' is not a name of an environment variable", name);
        else if (tree->items[i]->kind != TREE_TEXT)
            spec_error(spec, tree->items[i], "the value of %.80s must be a text", name);
        else {
            environment->names[environment->count] = name;
            environment->values[environment->count++] = tree->items[i]->text;
        }
    }
}

static void spec_read_wanted(struct spec *spec, const struct tree *item, size_t variable, bool *wanted)
{
    size_t count = spec_level_count(spec, variable);
    if (item->kind != TREE_TEXT) {
        spec_error(spec, item, "only: levels are texts");
        return;
    }
    const char **names = memory_allocate(spec->memory, count, sizeof *names);
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        names[i] = spec_level_name(spec, variable, i);
        if (strcmp(names[i], item->text) == 0)
            found = wanted[i] = true;
    }
    if (!found)
        spec_read_unknown(spec, item, spec_variable_name(spec, variable), item->text, names, count);
}

void spec_read_only(struct spec *spec, const struct tree *tree, struct spec_only *only)
{
    if (!tree || !spec_read_map(spec, tree, "only"))
        return;
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree *item = tree->items[i];
        size_t variable = spec_find_variable(spec, tree->keys[i]->text, strlen(tree->keys[i]->text));
        if (variable == SIZE_MAX) {
            spec_read_braces(spec, tree->keys[i], memory_print(spec->memory, "{%s}", tree->keys[i]->text), NULL);
            continue;
        }
        bool *wanted = memory_allocate(spec->memory, spec_level_count(spec, variable), sizeof *wanted);
        only->wanted[variable] = wanted;
        for (size_t each = 0; item->kind == TREE_LIST && each < item->count; each++)
            spec_read_wanted(spec, item->items[each], variable, wanted);
        if (item->kind != TREE_LIST)
            spec_read_wanted(spec, item, variable, wanted);
    }
}

void spec_read_braces(struct spec *spec, const struct tree *at, const char *text, bool *uses)
{
    struct words_part part;
    for (size_t position = 0; words_next_part(text, &position, &part);) {
        size_t variable = part.is_name ? spec_find_variable(spec, part.text, part.length) : 0;
        if (variable == SIZE_MAX) {
            const char *names[SPEC_VARIABLES_MAX];
            for (size_t v = 0; v <= spec->factor_count; v++)
                names[v] = spec_variable_name(spec, v);
            spec_read_unknown(spec, at, "the factor", memory_copy(spec->memory, part.text, part.length), names,
                              spec->factor_count + 1);
        } else if (uses && part.is_name && variable > 0) {
            uses[variable - 1] = true;
        }
    }
}
