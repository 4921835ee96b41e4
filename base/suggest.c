#include "base/suggest.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shrunk_file.h"
#include "base/tame_stream.h"

enum { COMPARED_MAX = 63, OPTIONS_MAX = 128 };

static bool suggest_letters_match(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t suggest_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Row i of the table holds the distances of a's first i characters from each prefix of b; three rows are enough. */
static size_t suggest_edit_distance(const char *a, const char *b)
{
    size_t rows[3][COMPARED_MAX + 1], length_a = strlen(a), length_b = strlen(b);
    for (size_t i = 0; i <= length_a; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            row[j] = suggest_smaller(suggest_smaller(above[j], row[j - 1]) + 1,
                                     above[j - 1] + !suggest_letters_match(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && suggest_letters_match(a[i - 1], b[j - 2]) &&
                suggest_letters_match(a[i - 2], b[j - 1]))
                row[j] = suggest_smaller(row[j], before[j - 2] + 1);
        }
    }
    return rows[length_a % 3][length_b];
}

const char *suggest_name(const char *name, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t least = strlen(name) / 3 < 2 ? strlen(name) / 3 + 1 : 3;
    for (size_t i = 0; strlen(name) <= COMPARED_MAX && i < count; i++) {
        size_t edits = strlen(names[i]) <= COMPARED_MAX ? suggest_edit_distance(name, names[i]) : least;
        if (edits < least) {
            best = names[i];
            least = edits;
        }
    }
    return best;
}

/* The long options of a program, including argp's own. */
struct options {
    const char *names[OPTIONS_MAX];
    bool takes[OPTIONS_MAX]; /* an argument, which may be the next word */
    size_t count;
    const struct argp_option *table;
};

static void suggest_add_option(struct options *options, const char *name, bool takes)
{
    if (options->count == OPTIONS_MAX)
        return;
    options->names[options->count] = name;
    options->takes[options->count++] = takes;
}

/* The option of this name, or the first one that it abbreviates; SIZE_MAX if there is none. */
static size_t suggest_find_option(const struct options *options, const char *word, size_t length)
{
    for (size_t i = 0; i < options->count; i++)
        if (strncmp(options->names[i], word, length) == 0)
            return i;
    return SIZE_MAX;
}

/* Whether the short options of a word end with one whose argument is the next word. */
static bool suggest_word_takes_next(const struct options *options, const char *word)
{
    for (const char *c = word + 1; *c; c++)
        for (const struct argp_option *option = options->table; option && (option->name || option->key || option->doc);
             option++)
            if (option->key == *c && option->arg && !(option->flags & OPTION_ARG_OPTIONAL))
                return !c[1];
    return false;
}

error_t suggest_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
    struct options options = {.table = argp->options};
    const char *slash = strrchr(argv[0], '/'), *program = slash ? slash + 1 : argv[0];
    tame_stream_begin();
    shrunk_file_watch(program);
    suggest_add_option(&options, "help", false);
    suggest_add_option(&options, "usage", false);
    suggest_add_option(&options, "version", false);
    suggest_add_option(&options, "program-name", true);
    suggest_add_option(&options, "HANG", false);
    bool takes = false;
    for (const struct argp_option *option = argp->options; option && (option->name || option->key || option->doc);
         option++) {
        if (!(option->flags & OPTION_ALIAS))
            takes = option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
        if (option->name)
            suggest_add_option(&options, option->name, takes);
    }
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *word = argv[i];
        if (strncmp(word, "--", 2) != 0) {
            if (*word != '-' && flags & ARGP_IN_ORDER)
                break;
            i += *word == '-' && suggest_word_takes_next(&options, word);
            continue;
        }
        size_t length = strcspn(word + 2, "=");
        size_t found = suggest_find_option(&options, word + 2, length);
        if (found == SIZE_MAX) {
            const char *option_word = word + 2;
            char name[COMPARED_MAX + 1];
            snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), option_word);
            const char *near = suggest_name(name, options.names, options.count);
            fprintf(stderr, "%s: no option '--%s'%s%s%s; see --help\n", program, name, near ? " (did you mean --" : "",
                    near ? near : "", near ? "?)" : "");
            exit(argp_err_exit_status);
        }
        i += options.takes[found] && !word[2 + length];
    }
    error_t error = argp_parse(argp, argc, argv, flags, NULL, input);
    if (error == ENOMEM) {
        fprintf(stderr, "%s: out of memory\n", program);
        exit(EXIT_FAILURE);
    }
    return error;
}
