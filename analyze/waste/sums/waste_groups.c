/* Which processes form a run, and which runs a table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/sums/waste_rows.h"

enum { NO_LABEL = WASTE_LABELS };

static size_t waste_label_index(const char *name)
{
    size_t l = 0;
    while (l < WASTE_LABELS && strcmp(name, waste_label_names[l]) != 0)
        l++;
    return l;
}

bool waste_label_known(const char *name)
{
    return waste_label_index(name) < WASTE_LABELS;
}

static const struct waste_source *waste_source_at(const struct waste *waste, size_t index)
{
    return waste_row(waste, WASTE_SOURCE_ROWS, index);
}

/* The program is not such a label: the processes of a run may well be several. */
const char *waste_mixed_label(const struct waste *waste)
{
    for (size_t l = 1; l < WASTE_LABELS; l++)
        for (size_t i = 1; i < waste_count(waste, WASTE_SOURCE_ROWS); i++)
            if (waste_source_at(waste, i)->labels[l] != waste_source_at(waste, 0)->labels[l])
                return waste_label_names[l];
    return NULL;
}

/* ------------------------------------------------------------------------------------------ groups -- */

struct ordered {
    const char *label, *run;
    size_t source;
    uint32_t kinds;
};

static int waste_compare_sources(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    int order = strcmp(x->label, y->label);
    return order ? order : strcmp(x->run, y->run);
}

static struct waste_group *waste_add_group(struct waste_groups *groups, const char *label, size_t sources)
{
    struct waste_group *group = &groups->items[groups->count++];
    *group = (struct waste_group){.label = label,
                                  .run_of = malloc((sources + 1) * sizeof *group->run_of),
                                  .kinds = calloc(sources + 1, sizeof *group->kinds)};
    for (size_t i = 0; group->run_of && i < sources; i++)
        group->run_of[i] = SIZE_MAX;
    return group->run_of && group->kinds ? group : NULL;
}

int waste_group(const struct waste *waste, const char *by, struct waste_groups *groups)
{
    size_t label = by ? waste_label_index(by) : NO_LABEL, count = waste_count(waste, WASTE_SOURCE_ROWS);
    struct ordered *sources = calloc(count + 1, sizeof *sources);
    *groups = (struct waste_groups){.items = calloc(count + 1, sizeof *groups->items)};
    int error = sources && groups->items ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < count; i++) {
        const struct waste_source *source = waste_source_at(waste, i);
        sources[i] = (struct ordered){label == NO_LABEL ? "" : waste_text(waste, source->labels[label]),
                                      waste_text(waste, source->run), i, source->kinds};
    }
    if (!error)
        qsort(sources, count, sizeof *sources, waste_compare_sources);

    struct waste_group *group = NULL;
    for (size_t i = 0; !error && i < count; i++) {
        bool first = i == 0 || strcmp(sources[i].label, sources[i - 1].label) != 0;
        if (first && !(group = waste_add_group(groups, sources[i].label, count))) {
            error = ENOMEM;
            break;
        }
        if (first || strcmp(sources[i].run, sources[i - 1].run) != 0)
            group->run_count++;
        group->run_of[sources[i].source] = group->run_count - 1;
        group->kinds[group->run_count - 1] |= sources[i].kinds;
    }
    if (!error && groups->count == 0 && !by && !waste_add_group(groups, "", 0))
        error = ENOMEM;
    free(sources);
    return error;
}

void waste_groups_free(struct waste_groups *groups)
{
    for (size_t g = 0; g < groups->count; g++) {
        free(groups->items[g].run_of);
        free(groups->items[g].kinds);
    }
    free(groups->items);
}
