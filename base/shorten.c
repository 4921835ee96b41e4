#include "base/shorten.h"
#include "base/text_stream.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A parsed name: path with packages, and parameters in readable form. */
struct parts {
    char *path;
    char *parameters; /* "(Collector, int)" or "" */
    const char *line; /* ":17" or "" */
    size_t kept;      /* path components shown in the label */
    bool with_parameters;
    char *label;
};

/* The length of the separator at this place outside <…>; 0 if there is none. */
static size_t shorten_separator_length(const char *text)
{
    if (strncmp(text, "::", 2) == 0)
        return 2;
    return *text == '.' || *text == '/' || *text == '#';
}

static int shorten_depth_after(int depth, char character)
{
    if (character == '<')
        return depth + 1;
    return character == '>' && depth > 0 ? depth - 1 : depth;
}

/* The last `kept` components of a path; *more says whether there are others before them. */
static const char *shorten_path_tail(const char *path, size_t kept, bool *more)
{
    size_t count = 0, seen = 0;
    int depth = 0;
    for (const char *at = path; *at; at++, depth = shorten_depth_after(depth, at[-1]))
        count += depth == 0 && at > path && shorten_separator_length(at);
    *more = kept <= count;
    depth = 0;
    for (const char *at = path; *more && *at; at++, depth = shorten_depth_after(depth, at[-1]))
        if (depth == 0 && at > path && shorten_separator_length(at) && ++seen == count + 1 - kept)
            return at + shorten_separator_length(at);
    return path;
}

/* "(java.lang.String,int)" to "(String, int)", up to `end`. */
static char *shorten_parameters_text(const char *at, const char *end)
{
    char *text = NULL;
    size_t size;
    FILE *out = text_stream_open(&text, &size);
    if (!out)
        return NULL;
    const char *word = at;
    for (; at < end; at++) {
        bool package = strchr("./", *at) || (*at == ':' && at[1] != ':');
        if (!package && (isalnum((unsigned char)*at) || strchr("_$:", *at) || (*at & 0x80)))
            continue;
        if (!package)
            fprintf(out, "%.*s%s", (int)(at + 1 - word), word, *at == ',' && at[1] != ' ' ? " " : "");
        word = at + 1;
    }
    fprintf(out, "%.*s", (int)(end - word), word);
    text_stream_close(out, &text);
    return text;
}

static bool shorten_parts_label(struct parts *parts)
{
    bool more;
    free(parts->label);
    return asprintf(&parts->label, "%s%s%s", shorten_path_tail(parts->path, parts->kept, &more),
                    parts->with_parameters ? parts->parameters : "", parts->line) >= 0 ||
           (parts->label = NULL);
}

static bool shorten_parse_parts(struct parts *parts, const char *name)
{
    /* "[libc.so.6]" and command lines: not methods, so there is nothing to parse */
    bool placeholder = *name == '[' || (strchr(name, ' ') && !strchr(name, '('));
    const char *open = placeholder ? NULL : strchr(name, '('), *from = name;
    while (open && (open == name || strncmp(open, "()(", 3) == 0)) /* "operator()" is a name */
        open = strchr(open + 1, '(');
    const char *end = open ? open : name + strlen(name);
    const char *close = strstr(end, "):"); /* before a line number: "(int):17" */
    const char *line = close ? close + 1 : end + strlen(end);

    /* Cuts a return type ("void a.B.c"): everything before the last blank outside <…>. */
    int depth = 0;
    for (const char *at = name; open && at < end; depth = shorten_depth_after(depth, *at), at++)
        if (*at == ' ' && depth == 0 && (at - name < 8 || strncmp(at - 8, "operator", 8) != 0))
            from = at + 1;
    char *path = strndup(from, (size_t)(end - from)), *address = path ? strstr(path, "/0x") : NULL;
    if (address) { /* of a hidden class, "A$$Lambda$14/0x0000000800c03000.run": it differs from run to run */
        const char *rest = address + 3 + strspn(address + 3, "0123456789abcdef");
        memmove(address, rest, strlen(rest) + 1);
    }
    *parts = (struct parts){.path = path,
                            .parameters = shorten_parameters_text(end, line),
                            .line = line,
                            .kept = placeholder ? SIZE_MAX : 2};
    return parts->path && parts->parameters && shorten_parts_label(parts);
}

/* One round: widens every label that another name has, too: first more of its path, if that is where the names differ.
 */
static bool shorten_widen_clashes(struct parts *parts, const char *const *names, size_t count)
{
    bool changed = false;
    for (size_t i = 0; i < count; i++) {
        struct parts *own = &parts[i];
        bool clash = false, paths_differ = false, more;
        for (size_t j = 0; j < count; j++)
            if (strcmp(own->label, parts[j].label) == 0 && strcmp(names[i], names[j]) != 0) {
                clash = true;
                paths_differ |= strcmp(own->path, parts[j].path) != 0;
            }
        if (!clash)
            continue;
        shorten_path_tail(own->path, own->kept, &more);
        if (paths_differ && more) {
            own->kept++;
            changed = true;
        } else {
            changed |= *own->parameters && !own->with_parameters;
            own->with_parameters = true;
        }
    }
    return changed;
}

static const char *shorten_utf8_skip(const char *text, size_t characters)
{
    for (; *text && characters; characters--)
        do
            text++;
        while ((*text & 0xc0) == 0x80);
    return text;
}

/* The end of a name says more than its beginning: it gets two thirds. */
char *shorten_middle(const char *text, size_t longest)
{
    size_t length = 0;
    for (const char *at = text; *at; at = shorten_utf8_skip(at, 1))
        length++;
    if (length <= longest)
        return strdup(text);
    size_t head = (longest - 1) / 3, tail = longest - 1 - head;
    char *label;
    int head_bytes = (int)(shorten_utf8_skip(text, head) - text);
    if (asprintf(&label, "%.*s…%s", head_bytes, text, shorten_utf8_skip(text, length - tail)) < 0)
        return NULL;
    return label;
}

/* Gives all ambiguous labels their full text, or their full name: marks all first, so that no single one stays
 * shortened. */
static bool shorten_lengthen_ambiguous(const struct parts *parts, const char *const *names, size_t count, bool whole,
                                       char **labels)
{
    bool *ambiguous = calloc(count + 1, sizeof *ambiguous), good = ambiguous;
    for (size_t i = 0; good && i < count; i++)
        for (size_t j = 0; j < count && !ambiguous[i]; j++) /* whether another name has the same label */
            ambiguous[i] = strcmp(labels[i], labels[j]) == 0 && strcmp(names[i], names[j]) != 0;
    for (size_t i = 0; good && i < count; i++)
        if (ambiguous[i]) {
            free(labels[i]);
            labels[i] = strdup(whole ? names[i] : parts[i].label);
            good = labels[i];
        }
    free(ambiguous);
    return good;
}

bool shorten_undo(const char *const *names, size_t count, char **labels)
{
    return shorten_lengthen_ambiguous(NULL, names, count, true, labels);
}

bool shorten_drop(char **labels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(labels[i]);
        labels[i] = NULL;
    }
    return false;
}

bool shorten_is_method(const char *text)
{
    const char *open = strchr(text, '(');
    if (open > text && open[-1] != ' ' && text[strlen(text) - 1] == ')')
        return true;
    if (strpbrk(text, " /\n"))
        return false;
    if (strstr(text, "::"))
        return true;
    size_t words = 0;
    for (const char *word = text;; word++) {
        if (!*word || (!isalpha((unsigned char)*word) && !strchr("_<$", *word)))
            return false;
        words++;
        while (isalnum((unsigned char)*word) || (*word && strchr("_<>$", *word)))
            word++;
        if (*word != '.')
            return *word == '\0' && words > 2;
    }
}

bool shorten_names(const char *const *names, size_t count, size_t longest, char **labels)
{
    struct parts *parts = calloc(count + 1, sizeof *parts);
    bool good = parts;
    for (size_t i = 0; i < count; i++)
        labels[i] = NULL;
    for (size_t i = 0; good && i < count; i++)
        good = shorten_parse_parts(&parts[i], names[i]);
    while (good && shorten_widen_clashes(parts, names, count))
        for (size_t i = 0; good && i < count; i++)
            good = shorten_parts_label(&parts[i]);
    /* Cuts labels to length; if that makes two equal, the full label is kept, and if necessary the full name. */
    for (size_t i = 0; good && i < count; i++)
        good = (labels[i] = shorten_middle(parts[i].label, longest)) != NULL;
    good = good && shorten_lengthen_ambiguous(parts, names, count, false, labels) &&
           shorten_lengthen_ambiguous(parts, names, count, true, labels);
    for (size_t i = 0; parts && i < count; i++) {
        free(parts[i].path);
        free(parts[i].parameters);
        free(parts[i].label);
    }
    free(parts);
    return good || shorten_drop(labels, count);
}
