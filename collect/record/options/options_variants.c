#include "collect/record/options/options_modes.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell_word.h"
#include "base/text_stream.h"

enum { OPTIONS_VARY_NAME_MAX = 64 };

void options_variants_add_command(struct argp_state *state, struct options_variants *given, const char *text)
{
    struct error_text message;
    if (given->command_count == RECORD_VARIANTS_MAX)
        argp_error(state, "--command: at most %d commands", RECORD_VARIANTS_MAX);
    if (shell_word_split(text, &given->commands[given->command_count], &message) != 0)
        argp_error(state, "--command \"%s\": %s", text, message.text);
    const char *first = given->commands[given->command_count][0];
    size_t name = strspn(first, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (name > 0 && first[name] == '=')
        argp_error(state, "--command \"%s\": %s sets a variable, which needs env: --command \"env %s\"", text, first,
                   text);
    given->command_count++;
}

void options_variants_add_values(struct argp_state *state, struct options_variants *given, char *text)
{
    struct options_vary *vary = &given->vary[given->vary_count];
    char *list = strchr(text, '=');
    if (given->vary_count == OPTIONS_VARY_MAX)
        argp_error(state, "--vary: at most %d names", OPTIONS_VARY_MAX);
    if (!list)
        argp_error(state, "--vary %s: must be NAME=VALUE,VALUE (gc=-XX:+UseSerialGC,-XX:+UseG1GC)", text);
    *list++ = '\0';
    if (!*text || strlen(text) > OPTIONS_VARY_NAME_MAX)
        argp_error(state, "--vary %s=%s: the name must have 1 to %d characters", text, list, OPTIONS_VARY_NAME_MAX);
    /* Cuts at commas; "\," is one that belongs to the value. */
    char *to = list;
    vary->name = text;
    vary->values[vary->count++] = list;
    for (const char *from = list; *from; from++) {
        if (*from == ',') {
            if (vary->count == RECORD_VARIANTS_MAX)
                argp_error(state, "--vary %s: at most %d values", text, RECORD_VARIANTS_MAX);
            *to++ = '\0';
            vary->values[vary->count++] = to;
            continue;
        }
        from += from[0] == '\\' && from[1] == ',';
        *to++ = *from;
    }
    *to = '\0';
    for (size_t i = 0; i < vary->count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(vary->values[i], vary->values[k]) == 0)
                argp_error(state, "--vary %s: '%s' is given twice", text, vary->values[i]);
    for (size_t i = 0; i < given->vary_count; i++)
        if (strcmp(given->vary[i].name, text) == 0)
            argp_error(state, "--vary %s: the name is given twice", text);
    given->vary_count++;
}

/* A word with each {NAME} replaced by the value; allocated. *found: whether there was one. */
static char *options_variants_replace(const char *word, const char *name, const char *value, bool *found)
{
    char *text = NULL, mark[OPTIONS_VARY_NAME_MAX + 3];
    size_t length;
    FILE *out = text_stream_open(&text, &length);
    int mark_length = snprintf(mark, sizeof mark, "{%s}", name);
    while (out && *word) {
        bool here = strncmp(word, mark, (size_t)mark_length) == 0;
        *found |= here;
        fprintf(out, "%.*s", here ? (int)strlen(value) : 1, here ? value : word);
        word += here ? mark_length : 1;
    }
    text_stream_close(out, &text);
    return text;
}

/* The command with the values put in. An empty word that was only {NAME} is left out. NULL without memory. */
static char **options_variants_fill(struct argp_state *state, const struct options_variants *given, char **command,
                                    const size_t *chosen)
{
    size_t count = 0, kept = 0;
    while (command[count])
        count++;
    char **words = calloc(count + 1, sizeof *words);
    bool found[OPTIONS_VARY_MAX] = {false};
    for (size_t i = 0; words && i < count; i++) {
        char *word = strdup(command[i]);
        for (size_t v = 0; word && v < given->vary_count; v++) {
            const struct options_vary *vary = &given->vary[v];
            char *next = options_variants_replace(word, vary->name, vary->values[chosen[v]], &found[v]);
            free(word);
            word = next;
        }
        if (!word)
            return NULL;
        if (*word || !*command[i])
            words[kept++] = word;
    }
    for (size_t v = 0; words && v < given->vary_count; v++)
        if (!found[v])
            argp_error(state, "--vary %s: the command %s has no {%s}, which stands where the value goes",
                       given->vary[v].name, command[0], given->vary[v].name);
    return words;
}

/* A value in labels and names of directories. */
static const char *options_variants_shown(const char *value)
{
    return *value ? value : "none";
}

/* "gc=serial,heap=1g" or "command-2": a name for its directory. */
static char *options_variants_name(const struct options_variants *given, size_t command, const size_t *chosen)
{
    enum { NAME_MAX_BYTES = 200 };
    char *text = NULL;
    size_t length;
    FILE *out = text_stream_open(&text, &length);
    if (!out)
        return NULL;
    if (given->command_count > 1)
        fprintf(out, "command-%zu", command + 1);
    for (size_t v = 0; v < given->vary_count; v++)
        fprintf(out, "%s%s=%s", v > 0 || given->command_count > 1 ? "," : "", given->vary[v].name,
                options_variants_shown(given->vary[v].values[chosen[v]]));
    if (!text_stream_close(out, &text))
        return NULL;
    if (length > NAME_MAX_BYTES) {
        length = NAME_MAX_BYTES;
        while (((unsigned char)text[length] & 0xc0) == 0x80) /* within a character of UTF-8 */
            length--;
        text[length] = '\0';
    }
    for (char *at = text; *at; at++)
        if (*at == '/' || (unsigned char)*at <= ' ')
            *at = '_';
    return text;
}

static void options_variants_add(struct argp_state *state, const struct options_variants *given, size_t command,
                                 const size_t *chosen, struct record_options *options)
{
    struct record_variant *variant = &options->variants[options->variant_count];
    *variant = (struct record_variant){.command = options_variants_fill(state, given, given->commands[command], chosen),
                                       .name = options_variants_name(given, command, chosen),
                                       .labels = options->labels ? json_copy(options->labels) : NULL};
    if (!variant->command || !variant->name)
        argp_failure(state, STATUS_BAD, 0, "out of memory");
    if (!*variant->command)
        argp_error(state, "--vary: a command has no word left");
    for (size_t i = 0; i < options->variant_count; i++)
        if (strcmp(options->variants[i].name, variant->name) == 0)
            argp_error(state, "--vary: two commands would share the directory %s", variant->name);
    for (size_t v = 0; v < given->vary_count; v++) {
        char *text;
        const char *value = options_variants_shown(given->vary[v].values[chosen[v]]);
        if (asprintf(&text, "%s=%s", given->vary[v].name, value) < 0)
            argp_failure(state, STATUS_BAD, 0, "out of memory");
        options_labels_add(state, &variant->labels, text);
        free(text);
    }
    options->variant_count++;
}

void options_variants_finalize(struct argp_state *state, struct options_variants *given, struct record_options *options)
{
    size_t total = 1;
    if (given->command_count > 0 && options->command)
        argp_error(state, "--command names the commands; leave out %s", options->command[0]);
    if (given->command_count == 0 && options->command)
        given->commands[given->command_count++] = options->command;
    for (size_t v = 0; v < given->vary_count; v++)
        total =
            total * given->vary[v].count > RECORD_VARIANTS_MAX ? RECORD_VARIANTS_MAX + 1 : total * given->vary[v].count;
    total *= given->command_count;
    if (total == 0)
        return;
    if (total > RECORD_VARIANTS_MAX)
        argp_error(state, "--command and --vary give more than %d commands", RECORD_VARIANTS_MAX);
    options->variants = calloc(total, sizeof *options->variants);
    if (!options->variants)
        argp_failure(state, STATUS_BAD, 0, "out of memory");
    for (size_t i = 0; i < total; i++) {
        size_t chosen[OPTIONS_VARY_MAX], rest = i;
        for (size_t v = given->vary_count; v-- > 0; rest /= given->vary[v].count)
            chosen[v] = rest % given->vary[v].count;
        options_variants_add(state, given, rest, chosen, options);
    }
    options->command = options->variants[0].command;
    assert(options->variant_count == total);
    if (total == 1) { /* a series like any other */
        options->labels = options->variants[0].labels;
        options->variant_count = 0;
        return;
    }
    if (options->check)
        argp_error(state, "--check is for one command");
    size_t length = strlen(options->output), end = strlen(".trace");
    if (length > end && strcmp(options->output + length - end, ".trace") == 0)
        argp_error(state, "-o %s: several commands need a directory", options->output);
}
