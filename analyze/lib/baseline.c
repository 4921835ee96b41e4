#include "analyze/lib/baseline.h"

#include <string.h>

static bool same_but_first(const struct groups *groups, size_t a, size_t b)
{
    for (size_t i = 1; i < groups->columns.group_count; i++)
        if (strcmp(groups->texts[a][i], groups->texts[b][i]) != 0)
            return false;
    return true;
}

size_t baseline_of(const struct groups *groups, const struct baseline *baseline, size_t group)
{
    if (baseline->group != BASELINE_NONE)
        return baseline->group;
    for (size_t b = 0; b < groups->count; b++)
        if (strcmp(groups->texts[b][0], baseline->first) == 0 && same_but_first(groups, group, b))
            return b;
    return BASELINE_NONE;
}

static bool has_first(const struct groups *groups, const char *text)
{
    for (size_t g = 0; g < groups->count; g++)
        if (strcmp(groups->texts[g][0], text) == 0)
            return true;
    return false;
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
    *baseline = (struct baseline){name ? groups_named(groups, name) : 0, name};
    if (baseline->group != BASELINE_NONE || has_first(groups, name))
        return STATUS_GOOD;
    return complain(complaint, STATUS_USAGE, "no group '%s' for --baseline; there are: %s", name, there);
}
