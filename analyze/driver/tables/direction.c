#include "analyze/driver/tables/direction.h"

#include <string.h>
#include <strings.h>

#include "table/csv/quantity.h"

bool direction_more_is_better(enum direction_kind kind)
{
    return kind == DIRECTION_RATES || kind == DIRECTION_SCORES;
}

static bool direction_is_listed(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(text, list[i]) == 0)
            return true;
    return false;
}

#define LISTED(text, ...)                                                                                              \
    direction_is_listed(text, (const char *const[]){__VA_ARGS__},                                                      \
                        sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *))

static bool direction_ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), own = strlen(end);
    return length > own && strcasecmp(text + length - own, end) == 0;
}

/* "req/s", "items/ms", "fps"; also as the name of a column. */
static bool direction_is_rate(const char *text)
{
    return direction_ends_with(text, "/s") || direction_ends_with(text, "/sec") ||
           direction_ends_with(text, "/second") || direction_ends_with(text, "/ms") ||
           direction_ends_with(text, "/us") || direction_ends_with(text, "/ns") || direction_ends_with(text, "/min") ||
           LISTED(text, "fps", "rps", "qps", "tps", "iops", "mips", "flops", "mflops", "gflops");
}

static bool direction_kind_of_unit(const char *unit, enum direction_kind *kind)
{
    const struct quantity_unit *known = quantity_unit_named((struct rows_cell){unit, strlen(unit)});
    const char *dimension = known ? known->kind : "";
    if (strncmp(dimension, "time", 4) == 0)
        *kind = DIRECTION_TIMES;
    else if (LISTED(dimension, "bytes", "bytes/op") || LISTED(unit, "kb", "mb", "gb", "pages"))
        *kind = DIRECTION_SIZES;
    else if (LISTED(dimension, "bytes/s", "bits/s", "op/s", "ops/s", "frequency") || direction_is_rate(unit))
        *kind = DIRECTION_RATES;
    else if (known || LISTED(unit, "allocs/op", "#/op", "count", "counts", "faults"))
        *kind = DIRECTION_AMOUNTS;
    else
        return false;
    return true;
}

static enum direction_kind direction_kind_of_name(const char *name)
{
    if (direction_is_rate(name) || direction_ends_with(name, "_per_second") || direction_ends_with(name, "_per_sec") ||
        direction_ends_with(name, "throughput") || direction_ends_with(name, "bandwidth") ||
        LISTED(name, "throughput", "bandwidth"))
        return DIRECTION_RATES;
    if (LISTED(name, "bytes", "size", "memory", "rss", "maxrss", "max_rss", "peak_memory"))
        return DIRECTION_SIZES;
    return DIRECTION_TIMES;
}

static bool direction_is_higher(const struct direction *direction, const struct groups *groups, size_t group,
                                size_t value)
{
    const char *unit = groups_unit(groups, group, value);
    for (size_t i = 0; i < direction->higher_count; i++) {
        const char *name = direction->higher[i];
        if (strcmp(groups->columns.values[value], name) == 0 || (unit && strcmp(unit, name) == 0))
            return true;
        for (size_t c = 0; c < groups->columns.group_count; c++)
            if (strcmp(groups->texts[group][c], name) == 0)
                return true;
    }
    return false;
}

/* What a column "better" of the group says: 1: more is better, −1: less is, 0: nothing. */
static int direction_known_by_group(const struct groups *groups, size_t group)
{
    for (size_t c = 0; c < groups->columns.group_count; c++) {
        const char *text = groups->texts[group][c];
        if (strcasecmp(groups->columns.groups[c], "better") == 0)
            return LISTED(text, "higher", "more", "bigger", "HIB")   ? 1
                   : LISTED(text, "lower", "less", "smaller", "LIB") ? -1
                                                                     : 0;
    }
    return 0;
}

enum direction_kind direction_of(const struct direction *direction, const struct groups *groups, size_t group,
                                 size_t value)
{
    const struct rows_unit *stated = &groups->columns.units[value];
    const char *unit = groups_unit(groups, group, value);
    enum direction_kind kind;
    bool known = unit && direction_kind_of_unit(unit, &kind);
    if (!known)
        kind = direction_kind_of_name(groups->columns.values[value]);
    int better = direction_known_by_group(groups, group);
    if (direction_is_higher(direction, groups, group, value) || stated->better == ROWS_HIGHER_IS_BETTER || better > 0)
        return kind == DIRECTION_RATES ? DIRECTION_RATES : DIRECTION_SCORES;
    if ((stated->better == ROWS_LOWER_IS_BETTER || better < 0) && kind == DIRECTION_RATES)
        return DIRECTION_COSTS;
    return kind;
}

const char *direction_unknown(const struct direction *direction, const struct groups *groups)
{
    for (size_t i = 0; i < direction->higher_count; i++) {
        const struct direction one = {&direction->higher[i], 1};
        bool found = false;
        for (size_t g = 0; g < groups->count && !found; g++)
            for (size_t v = 0; v < groups->columns.value_count && !found; v++)
                found = direction_is_higher(&one, groups, g, v);
        if (!found)
            return direction->higher[i];
    }
    return NULL;
}
