#include "analyze/compare/baseline.h"

#include <string.h>

static bool baseline_same_but_one(const struct groups *groups, size_t a, size_t b, size_t column)
{
    for (size_t i = 0; i < groups->columns.group_count; i++)
        if (i != column && strcmp(groups->texts[a][i], groups->texts[b][i]) != 0)
            return false;
    return true;
}

static const char *baseline_file_name(const char *text)
{
    const char *slash = strrchr(text, '/');
    return slash ? slash + 1 : text;
}

/* The ways to name a text, the most exact first. */
enum match { MATCH_TEXT, MATCH_BASE, MATCH_STEM, MATCHES };

/* The stem of a file is "old" for out/old.json.gz; a text that is not a file has none: 1 is not a name of 1.5. */
static bool baseline_is_named(const char *text, const char *name, enum match match)
{
    const char *base = baseline_file_name(text);
    size_t length = strlen(name);
    if (match == MATCH_TEXT)
        return strcmp(text, name) == 0;
    if (match == MATCH_BASE)
        return strcmp(base, name) == 0;
    return length > 0 && strncmp(base, name, length) == 0 && base[length] == '.' && strspn(name, "0123456789") < length;
}

bool baseline_is_file(const char *name, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (enum match match = MATCH_TEXT; match < MATCHES; match++)
            if (baseline_is_named(paths[i], name, match))
                return true;
    return false;
}

size_t baseline_of(const struct groups *groups, const struct baseline *baseline, size_t group)
{
    if (baseline->group != BASELINE_NONE)
        return baseline->group;
    for (size_t b = 0; b < groups->count; b++)
        if (strcmp(groups->texts[b][baseline->column], baseline->text) == 0 &&
            baseline_same_but_one(groups, group, b, baseline->column))
            return b;
    return BASELINE_NONE;
}

/* The length of a name without "-8" at its end. */
static size_t baseline_bare_length(const char *text)
{
    const char *dash = strrchr(text, '-');
    bool counts = dash && dash > text && dash[1] && !dash[1 + strspn(dash + 1, "0123456789")];
    return counts ? (size_t)(dash - text) : strlen(text);
}

static bool baseline_alike_but_one(const struct groups *groups, size_t a, size_t b, size_t column)
{
    for (size_t i = 0; i < groups->columns.group_count; i++) {
        const char *one = groups->texts[a][i], *other = groups->texts[b][i];
        size_t length = baseline_bare_length(one);
        if (i != column && (baseline_bare_length(other) != length || strncmp(one, other, length) != 0))
            return false;
    }
    return true;
}

size_t baseline_like(const struct groups *groups, const struct baseline *baseline, size_t group)
{
    size_t found = BASELINE_NONE;
    for (size_t b = 0; b < groups->count; b++) {
        if (strcmp(groups->texts[b][baseline->column], baseline->text) != 0 ||
            !baseline_alike_but_one(groups, group, b, baseline->column))
            continue;
        if (found != BASELINE_NONE)
            return BASELINE_NONE;
        found = b;
    }
    return found;
}

/* The only group with this text in a column; BASELINE_NONE if there are others. */
static size_t baseline_single(const struct groups *groups, size_t column, const char *text)
{
    size_t found = BASELINE_NONE;
    for (size_t g = 0; g < groups->count; g++) {
        if (strcmp(groups->texts[g][column], text) != 0)
            continue;
        if (found != BASELINE_NONE)
            return BASELINE_NONE;
        found = g;
    }
    return found;
}

size_t baseline_of_file(const struct groups *groups, const struct baseline *baseline, size_t group)
{
    bool files = groups->columns.by_file && baseline->column == 0;
    if (!files || baseline_single(groups, 0, groups->texts[group][0]) != group)
        return BASELINE_NONE;
    return baseline_single(groups, 0, baseline->text);
}

/* The first text in a group column that is named in this way; *several: so is another one. NULL if none is. */
static const char *baseline_text_named(const struct groups *groups, const char *name, enum match match, size_t *column,
                                       bool *several)
{
    const char *found = NULL;
    for (size_t c = 0; c < groups->columns.group_count && !found; c++)
        for (size_t g = 0; g < groups->count; g++) {
            const char *text = groups->texts[g][c];
            if (!baseline_is_named(text, name, match))
                continue;
            *several |= found && strcmp(found, text) != 0;
            found = found ? found : text;
            *column = c;
        }
    return found;
}

int baseline_find(const struct groups *groups, const char *name, bool several_files, struct baseline *baseline,
                  struct error_text *message)
{
    char there[300] = "";
    if (groups->count < 2)
        return error_set(message, STATUS_BAD, "there is only one group; say with --by which column tells groups apart");
    for (size_t g = 0; g < groups->count; g++) { /* the names to choose from: files, or groups */
        if (!several_files)
            error_list(there, sizeof there, groups_name(groups, g));
        else if (g == 0 || strcmp(groups->texts[g - 1][0], groups->texts[g][0]) != 0)
            error_list(there, sizeof there, groups->texts[g][0]);
    }
    *baseline = (struct baseline){name ? groups_named(groups, name) : 0, 0, name};
    if (baseline->group != BASELINE_NONE)
        return STATUS_GOOD;
    bool several = false;
    for (enum match match = MATCH_TEXT; match < MATCHES && !several; match++) {
        const char *text = baseline_text_named(groups, name, match, &baseline->column, &several);
        if (text && !several) {
            baseline->text = text;
            return STATUS_GOOD;
        }
    }
    return error_set(message, STATUS_USAGE,
                     several ? "several texts may be meant by --baseline %s; there are: %s"
                             : "no group '%s' for --baseline; there are: %s",
                     name, there);
}
