#include "analyze/lib/baseline.h"

#include <string.h>

static bool same_but_one(const struct groups *groups, size_t a, size_t b, size_t column)
{
    for (size_t i = 0; i < groups->columns.group_count; i++)
        if (i != column && strcmp(groups->texts[a][i], groups->texts[b][i]) != 0)
            return false;
    return true;
}

/* A text is named as it is, or a file by its name without folders. */
static bool is_named(const char *text, const char *name)
{
    const char *base = strrchr(text, '/');
    return strcmp(text, name) == 0 || (base && strcmp(base + 1, name) == 0);
}

size_t baseline_of(const struct groups *groups, const struct baseline *baseline, size_t group)
{
    if (baseline->group != BASELINE_NONE)
        return baseline->group;
    for (size_t b = 0; b < groups->count; b++)
        if (is_named(groups->texts[b][baseline->column], baseline->text) &&
            same_but_one(groups, group, b, baseline->column))
            return b;
    return BASELINE_NONE;
}

/* The first group column in which some group has this text; BASELINE_NONE if none has. */
static size_t column_with(const struct groups *groups, const char *text)
{
    for (size_t c = 0; c < groups->columns.group_count; c++)
        for (size_t g = 0; g < groups->count; g++)
            if (is_named(groups->texts[g][c], text))
                return c;
    return BASELINE_NONE;
}

/* What may be named: files, or groups. */
static void list(const struct groups *groups, bool several_files, char *text, size_t size)
{
    for (size_t g = 0; g < groups->count; g++) {
        if (!several_files)
            complaint_list(text, size, groups_name(groups, g));
        else if (g == 0 || strcmp(groups->texts[g - 1][0], groups->texts[g][0]) != 0)
            complaint_list(text, size, groups->texts[g][0]);
    }
}

int baseline_find(const struct groups *groups, const char *name, bool several_files, struct baseline *baseline,
                  struct complaint *complaint)
{
    char there[300] = "";
    if (groups->count < 2)
        return complain(complaint, STATUS_BAD,
                        "there is only one group; say with --by which column tells groups apart");
    list(groups, several_files, there, sizeof there);
    if (!name && several_files)
        return complain(complaint, STATUS_USAGE, "say with --baseline FILE which file to compare with; there are: %s",
                        there);
    *baseline = (struct baseline){name ? groups_named(groups, name) : 0, 0, name};
    if (baseline->group != BASELINE_NONE)
        return STATUS_GOOD;
    baseline->column = column_with(groups, name);
    if (baseline->column != BASELINE_NONE)
        return STATUS_GOOD;
    return complain(complaint, STATUS_USAGE, "no group '%s' for --baseline; there are: %s", name, there);
}
