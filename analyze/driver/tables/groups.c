#include "analyze/driver/tables/groups.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int groups_init(void **state, const struct rows_columns *columns, const void *own)
{
    struct groups *groups = calloc(1, sizeof *groups);
    if (!groups)
        return STATUS_BAD;
    groups->columns = *columns; /* its target stays, it does not */
    groups->keeps_values = *(const bool *)own;
    *state = groups;
    return STATUS_GOOD;
}

static void groups_free_texts(char **texts, size_t count)
{
    for (size_t i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}

void groups_free(void *state)
{
    struct groups *groups = state;
    if (!groups)
        return;
    for (size_t i = 0; i < groups->count; i++)
        groups_free_texts(groups->texts[i], groups->columns.group_count);
    groups_free_texts(groups->names, groups->count);
    for (size_t i = 0; groups->keeps_values && i < groups->count * groups->columns.value_count; i++)
        series_free(&groups->series[i]);
    text_set_free(&groups->keys);
    free(groups->texts);
    free(groups->series);
    free(groups->moments);
    free(groups->levels);
    free(groups->numbers);
    free(groups);
}

/* The texts as people read them, with commas between them; allocated. */
static char *groups_join_texts(const char *const *texts, size_t count)
{
    static const char comma[] = ", ";
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(texts[i]) + strlen(comma);
    char *joined = calloc(size, 1), *end = joined;
    for (size_t i = 0; joined && i < count; i++)
        end = stpcpy(stpcpy(end, i ? comma : ""), texts[i]);
    return joined;
}

static bool groups_reserve(struct groups *groups)
{
    if (groups->count < groups->capacity)
        return true;
    size_t capacity = groups->capacity ? groups->capacity * 2 : 16, values = groups->columns.value_count;
    char ***texts = realloc(groups->texts, capacity * sizeof *texts);
    if (!texts)
        return false;
    groups->texts = texts;
    char **names = realloc(groups->names, capacity * sizeof *names);
    if (!names)
        return false;
    groups->names = names;
    if (groups->keeps_values) {
        struct series *series = realloc(groups->series, capacity * values * sizeof *series);
        if (!series)
            return false;
        groups->series = series;
    } else {
        struct real_moments *moments = realloc(groups->moments, capacity * values * sizeof *moments);
        if (!moments)
            return false;
        groups->moments = moments;
    }
    groups->capacity = capacity;
    return true;
}

static char **groups_copy_texts(const char *const *texts, size_t count)
{
    char **copy = calloc(count ? count : 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (!(copy[i] = strdup(texts[i]))) {
            groups_free_texts(copy, i);
            return NULL;
        }
    return copy;
}

/* Appends an empty group. */
static bool groups_add(struct groups *groups, const char *const *texts)
{
    size_t values = groups->columns.value_count, first = groups->count * values;
    if (!groups_reserve(groups))
        return false;
    char **copy = groups_copy_texts(texts, groups->columns.group_count);
    char *name = groups_join_texts(texts, groups->columns.group_count);
    if (!copy || !name) {
        groups_free_texts(copy, groups->columns.group_count);
        free(name);
        return false;
    }
    groups->texts[groups->count] = copy;
    groups->names[groups->count] = name;
    if (groups->keeps_values)
        memset(groups->series + first, 0, values * sizeof *groups->series);
    else
        memset(groups->moments + first, 0, values * sizeof *groups->moments);
    groups->count++;
    return true;
}

/* The number of the group with these texts, added if it is new; TEXT_SET_FULL without memory. */
static uint32_t groups_find_or_add(struct groups *groups, const char *const *texts)
{
    uint32_t number = text_set_add_tuple(&groups->keys, texts, groups->columns.group_count);
    if (number != TEXT_SET_FULL && number == groups->count && !groups_add(groups, texts))
        return TEXT_SET_FULL;
    return number;
}

/* Numbers for the part's groups that are new. */
static bool groups_number_batch(struct groups *groups, const char *const *texts, uint32_t total)
{
    if (total > groups->numbers_capacity) {
        uint32_t *numbers = realloc(groups->numbers, (size_t)total * 2 * sizeof *numbers);
        if (!numbers)
            return false;
        groups->numbers = numbers;
        groups->numbers_capacity = total * 2;
    }
    for (; groups->numbered < total; groups->numbered++) {
        uint32_t number = groups_find_or_add(groups, texts + groups->numbered * groups->columns.group_count);
        if (number == TEXT_SET_FULL)
            return false;
        groups->numbers[groups->numbered] = number;
    }
    return true;
}

/* The number of values before the next missing one. */
static size_t groups_present_length(const struct decimal *values, size_t n)
{
    size_t length = 0;
    while (length < n && values[length].exponent != ROWS_MISSING)
        length++;
    return length;
}

int groups_feed(void *state, const struct rows_batch *batch, const char *const *texts, uint32_t group_total,
                struct error_text *message)
{
    struct groups *groups = state;
    size_t values = groups->columns.value_count;
    if (!groups_number_batch(groups, texts, group_total))
        return error_set(message, STATUS_BAD, "out of memory");
    for (size_t row = 0, n; row < batch->row_count; row += n) {
        size_t group = groups->numbers[batch->group[row]];
        n = 1; /* rows that follow each other in the same group are added together */
        while (row + n < batch->row_count && batch->group[row + n] == batch->group[row])
            n++;
        for (size_t v = 0; v < values; v++) {
            enum stats_status status = STATS_OK;
            size_t at = group * values + v;
            for (size_t first = 0, length; first < n && !status; first += length + 1) {
                const struct decimal *column = batch->values[v] + row + first;
                length = batch->blank ? groups_present_length(column, n - first) : n - first;
                if (length)
                    status = groups->keeps_values ? series_append(&groups->series[at], column, length)
                                                  : real_moments_add(&groups->moments[at], column, length);
            }
            if (status)
                return error_set(message, STATUS_BAD, "column '%s': %s", groups->columns.values[v],
                                 stats_status_text(status));
        }
    }
    return STATUS_GOOD;
}

int groups_merge(void *state, void *later, struct error_text *message)
{
    struct groups *into = state, *from = later;
    size_t values = into->columns.value_count;
    enum stats_status status = STATS_OK;
    for (size_t g = 0; g < from->count && !status; g++) {
        size_t group = groups_find_or_add(into, (const char *const *)from->texts[g]);
        if (group == TEXT_SET_FULL)
            status = STATS_NO_MEMORY;
        for (size_t v = 0; v < values && !status; v++)
            status = into->keeps_values
                         ? series_join(&into->series[group * values + v], &from->series[g * values + v])
                         : real_moments_merge(&into->moments[group * values + v], &from->moments[g * values + v]);
    }
    groups_free(from);
    return status ? error_set(message, STATUS_BAD, "%s", stats_status_text(status)) : STATUS_GOOD;
}

/* ------------------------------------------------------------------------------------------ for other processes -- */

int groups_save(const void *state, FILE *to)
{
    const struct groups *groups = state;
    size_t values = groups->columns.value_count;
    bool good = fwrite(&groups->count, sizeof groups->count, 1, to) == 1;
    for (size_t g = 0; good && g < groups->count; g++) {
        for (size_t c = 0; good && c < groups->columns.group_count; c++) {
            size_t size = strlen(groups->texts[g][c]) + 1;
            good = fwrite(groups->texts[g][c], 1, size, to) == size;
        }
        for (size_t i = g * values; good && groups->keeps_values && i < (g + 1) * values; i++)
            good = series_write(&groups->series[i], to) == STATS_OK;
        if (good && !groups->keeps_values)
            good = fwrite(groups->moments + g * values, sizeof *groups->moments, values, to) == values;
    }
    return good ? STATUS_GOOD : STATUS_BAD;
}

/* texts[group_count + 1]: each NULL, or allocated afterwards. */
static bool groups_load_group(struct groups *groups, char **texts, FILE *from)
{
    size_t values = groups->columns.value_count, g = 0;
    bool good = true;
    for (size_t c = 0, capacity; good && c < groups->columns.group_count; c++) {
        capacity = 0;
        good = getdelim(&texts[c], &capacity, '\0', from) >= 0;
    }
    good = good && (g = groups_find_or_add(groups, (const char *const *)texts)) != TEXT_SET_FULL;
    for (size_t i = good ? g * values : 0; good && groups->keeps_values && i < (g + 1) * values; i++)
        good = series_read(&groups->series[i], from) == STATS_OK;
    if (good && !groups->keeps_values)
        good = fread(groups->moments + g * values, sizeof *groups->moments, values, from) == values;
    return good;
}

int groups_load(void **state, const struct rows_columns *columns, const void *own, FILE *from)
{
    size_t count, texts_count = columns->group_count;
    if (groups_init(state, columns, own) != 0)
        return STATUS_BAD;
    bool good = fread(&count, sizeof count, 1, from) == 1;
    for (size_t g = 0; good && g < count; g++) {
        char **texts = calloc(texts_count + 1, sizeof *texts);
        good = texts && groups_load_group(*state, texts, from);
        groups_free_texts(texts, texts_count);
    }
    if (good)
        return STATUS_GOOD;
    groups_free(*state);
    *state = NULL;
    return STATUS_BAD;
}

/* ------------------------------------------------------------------------------------------ levels -- */

/* Adds process `from` of one state, in a value column, to the group of another whose values are means. */
static enum stats_status groups_add_mean(struct groups *into, size_t to, const struct groups *from, size_t at)
{
    struct real_moments moments = from->keeps_values ? (struct real_moments){0} : from->moments[at];
    struct groups_levels *levels = &into->levels[to];
    struct decimal decimal;
    double mean;
    __float128 wide_mean, deviations;
    if (from->keeps_values)
        real_moments_of_series(&from->series[at], &moments);
    uint64_t n = real_moments_n(&moments);
    if (n == 0)
        return STATS_OK;
    enum stats_status status = real_moments_quad(&moments, &wide_mean, &deviations);
    if (!status && n == 1) {
        status = into->keeps_values ? series_join(&into->series[to], &from->series[at])
                                    : real_moments_merge(&into->moments[to], &moments);
    } else if (!status) {
        status = real_moments_mean(&moments, &mean);
        if (!status)
            status = decimal_of_double(mean, &decimal);
        if (!status)
            status = into->keeps_values ? series_append(&into->series[to], &decimal, 1)
                                        : real_moments_add(&into->moments[to], &decimal, 1);
    }
    levels->fewest = levels->processes == 0 || n < levels->fewest ? n : levels->fewest;
    levels->most = n > levels->most ? n : levels->most;
    levels->processes++;
    levels->values += n;
    levels->deviations += (double)deviations;
    levels->inverse += 1 / (double)n;
    return status;
}

/* What the processes are called: the last of the columns that tell them apart, but "file" only if it is alone, since
 * the order of "fork,file" is the user's. */
static const char *groups_process_column(const char *const *within, size_t count)
{
    size_t last = count - 1;
    while (last > 0 && strcmp(within[last], "file") == 0)
        last--;
    return within[last];
}

int groups_take_means(struct groups *groups, uint32_t *into, struct error_text *message)
{
    struct groups *means;
    struct rows_columns columns = groups->columns;
    size_t values = columns.value_count;
    enum stats_status status = STATS_OK;
    assert(columns.within_count > 0 && columns.within_count <= columns.group_count);
    columns.group_count -= columns.within_count;
    if (groups_init((void **)&means, &columns, &groups->keeps_values) != 0)
        return error_set(message, STATUS_BAD, "out of memory");
    means->process = groups_process_column(columns.groups + columns.group_count, columns.within_count);
    means->levels = calloc(groups->count * values + 1, sizeof *means->levels); /* no more than there are now */
    if (!means->levels)
        status = STATS_NO_MEMORY;
    for (size_t g = 0; g < groups->count && !status; g++) {
        uint32_t group = groups_find_or_add(means, (const char *const *)groups->texts[g]);
        if (group == TEXT_SET_FULL)
            status = STATS_NO_MEMORY;
        if (into)
            into[g] = group;
        for (size_t v = 0; v < values && !status; v++)
            status = groups_add_mean(means, group * values + v, groups, g * values + v);
    }
    if (!status) { /* the caller's state is the new one, and the old one is freed, with its own columns */
        struct groups old = *groups;
        *groups = *means;
        *means = old;
    }
    groups_free(means);
    return status ? error_set(message, STATUS_BAD, "%s", stats_status_text(status)) : STATUS_GOOD;
}

const struct groups_levels *groups_levels(const struct groups *groups, size_t group, size_t value)
{
    return groups->levels ? &groups->levels[group * groups->columns.value_count + value] : NULL;
}

/* ------------------------------------------------------------------------------------------ reading them -- */

/* "c, x has ", "fork 0 of c, x has ", or "there are " where only one series is. */
static void groups_write_owner(const struct groups *groups, size_t group, char text[300])
{
    size_t own = groups->columns.group_count - groups->columns.within_count;
    char *name = groups_join_texts((const char *const *)groups->texts[group], own);
    char process[120] = "";
    for (size_t c = own; c < groups->columns.group_count; c++) {
        char part[100];
        snprintf(part, sizeof part, "%.40s %.50s", groups->columns.groups[c], groups->texts[group][c]);
        error_list(process, sizeof process, part);
    }
    if (!name || (!*name && !*process))
        snprintf(text, 300, "there are ");
    else
        snprintf(text, 300, "%s%s%.160s has ", process, *process && *name ? " of " : "", name);
    free(name);
}

int groups_drop_first(struct groups *groups, size_t count, struct error_text *message)
{
    size_t values = groups->columns.value_count;
    for (size_t i = 0; i < groups->count * values; i++) {
        size_t n = groups->series[i].n;
        if (n == 0)
            continue;
        if (n <= count) {
            char owner[300];
            groups_write_owner(groups, i / values, owner);
            return error_set(message, STATUS_BAD, "%s%zu value%s: --skip-first %zu leaves none", owner, n,
                             n == 1 ? "" : "s", count);
        }
        series_drop_first(&groups->series[i], count);
    }
    return STATUS_GOOD;
}

const struct series *groups_series(const struct groups *groups, size_t group, size_t value)
{
    assert(groups->keeps_values);
    return &groups->series[group * groups->columns.value_count + value];
}

const struct real_moments *groups_moments(const struct groups *groups, size_t group, size_t value)
{
    assert(!groups->keeps_values);
    return &groups->moments[group * groups->columns.value_count + value];
}

const char *groups_name(const struct groups *groups, size_t group)
{
    return groups->names[group];
}

const char *groups_unit(const struct groups *groups, size_t group, size_t value)
{
    const struct rows_unit *unit = &groups->columns.units[value];
    return unit->group == ROWS_NO_UNIT ? unit->text : groups->texts[group][unit->group];
}

size_t groups_other_unit(const struct groups *groups, size_t value)
{
    for (size_t g = 1; groups->columns.units[value].group != ROWS_NO_UNIT && g < groups->count; g++)
        if (strcmp(groups_unit(groups, g, value), groups_unit(groups, 0, value)) != 0)
            return g;
    return SIZE_MAX;
}

const char *groups_common_unit(const struct groups *groups)
{
    const char *common = groups_unit(groups, 0, 0);
    for (size_t v = 0; common && v < groups->columns.value_count; v++) {
        const char *unit = groups_unit(groups, 0, v);
        if (!unit || strcmp(unit, common) != 0 || groups_other_unit(groups, v) != SIZE_MAX)
            common = NULL;
    }
    return common;
}

size_t groups_named(const struct groups *groups, const char *name)
{
    for (size_t i = 0; i < groups->count; i++)
        if (strcmp(groups->names[i], name) == 0)
            return i;
    return SIZE_MAX;
}
