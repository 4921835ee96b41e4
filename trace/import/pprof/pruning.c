/* The C library has POSIX's extended regular expressions, into which those of RE2 are translated. */
#include "trace/import/pprof/pruning.h"
#include "base/text_stream.h"

#include <assert.h>
#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS_MAX = 1000, LENGTH_MAX = 10000, EXPANDED_MAX = 200000, NAME_MAX_BYTES = 4096 };

struct pruning {
    regex_t drop, keep;
    bool has_drop, has_keep;
};

/* An expression of RE2 on its way. `repeats` is what nested counts could amount to: RE2 has the same bound. */
struct translation {
    const char *at;
    FILE *out;
    unsigned long repeats;
    const char *wrong; /* what is not understood, or NULL */
};

/* ------------------------------------------------------------------------------------------ characters -- */

static void pruning_write_literal(FILE *out, char c)
{
    if (strchr(".[]\\()*+?{}|^$", c))
        putc('\\', out);
    putc(c, out);
}

/* The characters that an escape in lower case stands for (\d, \w, \s), or NULL. */
static int (*pruning_find_class(char letter))(int)
{
    return letter == 'd' ? isdigit : letter == 'w' ? isalnum : letter == 's' ? isspace : NULL;
}

static bool pruning_is_in_class(char letter, int c)
{
    assert(pruning_find_class(letter));
    return pruning_find_class(letter)(c) ? !(letter == 's' && c == '\v') : letter == 'w' && c == '_';
}

/* The character of an escape such as \n, or the escaped one itself; -1 if the escape means something else. */
static int pruning_unescape(char letter)
{
    static const char letters[] = "nrtfva", characters[] = "\n\r\t\f\v\a";
    const char *at = letter ? strchr(letters, letter) : NULL;
    if (at)
        return characters[at - letters];
    return letter && !isalnum((unsigned char)letter) ? letter : -1;
}

/* A list of characters in the one order that POSIX reads as such: ']' first, '[', '^' and '-' last. */
static void pruning_write_set(FILE *out, const bool set[128], bool inverse)
{
    static const char last[] = "[^-";
    bool only_caret = !inverse && set['^'];
    for (int c = 1; c < 128; c++)
        only_caret &= !set[c] || c == '^';
    if (only_caret) {
        fputs("\\^", out);
        return;
    }
    fputs(inverse ? "[^" : "[", out);
    if (set[']'])
        putc(']', out);
    for (int c = 1; c < 128; c++)
        if (set[c] && c != ']' && !strchr(last, c))
            putc(c, out);
    for (const char *c = last; *c; c++)
        if (set[(int)*c])
            putc(*c, out);
    putc(']', out);
}

/* A named class such as [:alpha:] within a list. */
static bool pruning_add_named_class(struct translation *translation, bool set[128])
{
    static const struct {
        const char *name;
        int (*holds)(int);
    } all[] = {{"[:alpha:]", isalpha}, {"[:digit:]", isdigit}, {"[:alnum:]", isalnum}, {"[:upper:]", isupper},
               {"[:lower:]", islower}, {"[:punct:]", ispunct}, {"[:space:]", isspace}, {"[:xdigit:]", isxdigit}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strncmp(translation->at, all[i].name, strlen(all[i].name)) != 0)
            continue;
        for (int c = 1; c < 128; c++)
            set[c] |= all[i].holds(c) != 0;
        translation->at += strlen(all[i].name);
        return true;
    }
    return false;
}

/* One character of a list, after which `at` stands; -1 if it is not one that is understood. */
static int pruning_next_in_set(struct translation *translation)
{
    unsigned char c = (unsigned char)*translation->at++;
    if (c == '\\')
        return *translation->at ? pruning_unescape(*translation->at++) : -1;
    return c && c < 128 ? c : -1;
}

/* A list of characters, after its '['. */
static void pruning_translate_set(struct translation *translation)
{
    bool set[128] = {false};
    bool inverse = *translation->at == '^';
    translation->at += inverse;
    for (bool first = true; first || *translation->at != ']'; first = false) {
        if (*translation->at == '[' && translation->at[1] == ':' && pruning_add_named_class(translation, set))
            continue;
        if (*translation->at == '\\' && pruning_find_class(translation->at[1])) {
            for (int c = 1; c < 128; c++)
                set[c] |= pruning_is_in_class(translation->at[1], c);
            translation->at += 2;
            continue;
        }
        int low = pruning_next_in_set(translation), high = low;
        if (low > 0 && *translation->at == '-' && translation->at[1] && translation->at[1] != ']') {
            translation->at++;
            high = pruning_next_in_set(translation);
        }
        if (low <= 0 || high < low) {
            translation->wrong = "a list of characters";
            return;
        }
        for (int c = low; c <= high; c++)
            set[c] = true;
    }
    translation->at++;
    pruning_write_set(translation->out, set, inverse);
}

/* ------------------------------------------------------------------------------------------ expressions -- */

/* An escape outside of lists, after its backslash. */
static void pruning_translate_escape(struct translation *translation)
{
    char letter = *translation->at ? *translation->at++ : '\0';
    char lower = (char)tolower((unsigned char)letter);
    if (letter && pruning_find_class(lower)) {
        bool set[128];
        for (int c = 0; c < 128; c++)
            set[c] = pruning_is_in_class(lower, c);
        pruning_write_set(translation->out, set, lower != letter);
    } else if (letter == 'b' || letter == 'B') {
        fprintf(translation->out, "\\%c", letter);
    } else if (letter == 'A' || letter == 'z') {
        putc(letter == 'A' ? '^' : '$', translation->out);
    } else if (letter == 'Q') {
        const char *end = strstr(translation->at, "\\E");
        end = end ? end : translation->at + strlen(translation->at);
        while (translation->at < end)
            pruning_write_literal(translation->out, *translation->at++);
        translation->at += *end ? 2 : 0;
    } else if (pruning_unescape(letter) > 0) {
        pruning_write_literal(translation->out, (char)pruning_unescape(letter));
    } else {
        translation->wrong = "an escape";
    }
}

static void pruning_translate_one(struct translation *translation)
{
    char c = *translation->at++;
    if (c == '[') {
        pruning_translate_set(translation);
    } else if (c == '\\') {
        pruning_translate_escape(translation);
    } else if (c == '(') {
        /* The opening of a group, after its parenthesis. */
        const char *at = translation->at;
        putc('(', translation->out);
        if (*at == '?') {
            if (at[1] == ':') {
                translation->at += 2;
            } else if (strncmp(at, "?P<", 3) == 0 || (at[1] == '<' && isalpha((unsigned char)at[2]))) {
                const char *end = strchr(at, '>');
                translation->at = end ? end + 1 : at + strlen(at);
            } else {
                translation->wrong = "a group with flags";
            }
        }
    } else if (c == '{' || c == '*' || c == '+' || c == '?') {
        if (c == '{') {
            /* A count such as {2,5}, after its brace; any other brace is an ordinary character. */
            int length = 0;
            unsigned low = 0, high = 0;
            bool exact = sscanf(translation->at, "%4u}%n", &low, &length) == 1 && length > 0;
            bool open = !exact && sscanf(translation->at, "%4u,}%n", &low, &length) == 1 && length > 0;
            bool closed =
                !exact && !open && sscanf(translation->at, "%4u,%4u}%n", &low, &high, &length) == 2 && length > 0;
            if (!exact && !open && !closed) {
                pruning_write_literal(translation->out, '{');
            } else {
                unsigned most = high > low ? high : low;
                translation->repeats *= most > 0 ? most : 1;
                if (translation->repeats > REPEATS_MAX)
                    translation->wrong = "a count beyond 1000";
                fprintf(translation->out, "{%.*s", length, translation->at);
                translation->at += length;
            }
        } else
            putc(c, translation->out);
        translation->at += *translation->at == '?'; /* lazy or not, the same whole names match */
    } else {
        putc(c, translation->out);
    }
}

/* Compiles an expression, anchored at both ends. */
static bool pruning_compile(regex_t *regex, const char *expression, struct error_text *message)
{
    char *text = NULL, why[128] = "";
    size_t size;
    struct translation translation = {.at = expression, .out = text_stream_open(&text, &size), .repeats = 1};
    if (!translation.out)
        return error_set(message, STATUS_BAD, "out of memory"), false;
    if (strlen(expression) > LENGTH_MAX)
        translation.wrong = "its length";
    fputs("^(", translation.out);
    while (!translation.wrong && *translation.at)
        pruning_translate_one(&translation);
    if (!translation.wrong && translation.repeats * strlen(expression) > EXPANDED_MAX)
        translation.wrong = "its size";
    fputs(")$", translation.out);
    bool written = text_stream_close(translation.out, &text);
    if (written && !translation.wrong) {
        int error = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
        if (error) {
            regerror(error, regex, why, sizeof why);
            translation.wrong = why;
        }
    }
    if (!written || translation.wrong)
        error_set(message, STATUS_BAD, "'%.100s' is not understood: %s", expression,
                  written ? translation.wrong : "out of memory");
    free(text);
    return written && !translation.wrong;
}

/* ------------------------------------------------------------------------------------------ names -- */

struct pruning *pruning_new(const char *drop, const char *keep, struct error_text *message)
{
    struct pruning *pruning = calloc(1, sizeof *pruning);
    if (!pruning) {
        error_set(message, STATUS_BAD, "out of memory");
        return NULL;
    }
    pruning->has_drop = pruning_compile(&pruning->drop, drop, message);
    pruning->has_keep = pruning->has_drop && *keep && pruning_compile(&pruning->keep, keep, message);
    if (!pruning->has_drop || (*keep && !pruning->has_keep)) {
        pruning_free(pruning);
        return NULL;
    }
    return pruning;
}

void pruning_free(struct pruning *pruning)
{
    if (pruning && pruning->has_drop)
        regfree(&pruning->drop);
    if (pruning && pruning->has_keep)
        regfree(&pruning->keep);
    free(pruning);
}

/* Where the arguments begin, at a parenthesis that does not belong to the name. */
static size_t pruning_name_length(const char *name)
{
    static const char *const reserved[] = {"(anonymous namespace)", "operator()"};
    for (const char *at = name; *at; at++) {
        size_t skipped = 0;
        for (size_t i = 0; i < 2; i++)
            if (strncmp(at, reserved[i], strlen(reserved[i])) == 0)
                skipped = strlen(reserved[i]);
        if (skipped > 0)
            at += skipped - 1;
        else if (*at == '(')
            return (size_t)(at - name);
    }
    return strlen(name);
}

bool pruning_drops(const struct pruning *pruning, const char *name)
{
    char bare[NAME_MAX_BYTES];
    name += *name == '.';
    size_t length = pruning_name_length(name);
    length = length < sizeof bare ? length : sizeof bare - 1;
    memcpy(bare, name, length);
    bare[length] = '\0';
    return regexec(&pruning->drop, bare, 0, NULL, 0) == 0 &&
           !(pruning->has_keep && regexec(&pruning->keep, bare, 0, NULL, 0) == 0);
}
