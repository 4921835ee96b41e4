/* Which processes form a run, and which runs a table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/sums/waste_rows.h"

static const struct waste_source *waste_source_at(const struct waste *waste, size_t index)
{
    return waste_row(waste, WASTE_SOURCE_ROWS, index);
}

const char *waste_mixed_label(const struct waste *waste)
{
    for (enum run_label label = 0; label < RUN_LABELS; label++)
        for (size_t i = 1; run_label_separates(label) && i < waste_count(waste, WASTE_SOURCE_ROWS); i++)
            if (waste_source_at(waste, i)->labels[label] != waste_source_at(waste, 0)->labels[label])
                return run_label_name(label);
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
    enum run_label label = run_label_named(by);
    size_t count = waste_count(waste, WASTE_SOURCE_ROWS);
    struct ordered *sources = calloc(count + 1, sizeof *sources);
    *groups = (struct waste_groups){.items = calloc(count + 1, sizeof *groups->items)};
    int error = sources && groups->items ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < count; i++) {
        const struct waste_source *source = waste_source_at(waste, i);
        sources[i] = (struct ordered){label == RUN_LABELS ? "" : waste_text(waste, source->labels[label]),
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
