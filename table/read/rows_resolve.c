/* Finds the wanted columns of a table, and the message if there are none such. */
#include "table/read/rows_table.h"
#include "base/suggest.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LISTED_MAX = 260 };

/* ------------------------------------------------------------------------------------------ messages -- */

/* "time, clock, run", cut if too long. `only`: NULL for all. */
static void resolve_list_columns(char text[LISTED_MAX], const struct rows_table *table, const bool *only)
{
    *text = '\0';
    for (size_t i = 0; i < table->column_count; i++) {
        if (only && !only[i])
            continue;
        if (strlen(text) + strlen(table->names[i]) + 10 > LISTED_MAX) {
            error_list(text, LISTED_MAX, "…");
            return;
        }
        error_list(text, LISTED_MAX, table->names[i]);
    }
}

/* ------------------------------------------------------------------------------------------ one column -- */

/* "2" is the second column. */
static size_t resolve_column_number(const struct rows_table *table, const char *name)
{
    if (!*name || strlen(name) > 9 || name[strspn(name, "0123456789")])
        return SIZE_MAX;
    size_t number = strtoul(name, NULL, 10);
    return number >= 1 && number <= table->column_count ? number - 1 : SIZE_MAX;
}

/* `group`: it is one of --by, where "file" is the path of the file, and "directory" that of its directory, if no column
 * has that name. */
static int resolve_find_column(const struct rows_table *table, const char *name, bool group, size_t *at,
                               struct error_text *message)
{
    char first[160];
    size_t found = rows_table_column(table, name);
    snprintf(first, sizeof first, "%.120s (1)", name); /* columns with the same name have a number appended */
    if (found == SIZE_MAX && rows_table_column(table, first) != SIZE_MAX)
        return error_set(message, STATUS_BAD, "several columns are named '%.60s'; ask for '%.60s (1)', '%.60s (2)' …",
                         name, name, name);
    if (found == SIZE_MAX)
        found = resolve_column_number(table, name);
    if (found == SIZE_MAX && group && strcmp(name, "file") == 0)
        found = table->column_count + ROWS_FILE;
    if (found == SIZE_MAX && group && strcmp(name, "directory") == 0)
        found = table->column_count + ROWS_DIRECTORY;
    if (found == SIZE_MAX) {
        char there[LISTED_MAX];
        const char *near = suggest_name(name, (const char *const *)table->names, table->column_count);
        resolve_list_columns(there, table, NULL);
        return error_set(message, STATUS_BAD, "no column '%.60s'%s%.60s%s; there are: %s", name,
                         near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "", there);
    }
    *at = found;
    return STATUS_GOOD;
}

/* ------------------------------------------------------------------------------------------ all of them -- */

/* The first column of numbers whose name says that it is what was measured, the plainest name first. */
static size_t resolve_named_as_value(const struct rows_table *table)
{
    static const char *const names[] = {"value",       "score",      "duration_ns", "duration_us",
                                        "duration_ms", "duration_s", "time_ns",     "duration",
                                        "real_time",   "elapsed",    "latency"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t c = 0; c < table->column_count; c++)
            if (table->numeric[c] && strcasecmp(table->names[c], names[i]) == 0)
                return c;
    return SIZE_MAX;
}

/* The only column of numbers that is not a group, or the one that is called the value (*by_name); or the only column
 * that is not a group, whose cells will then be reported.
 */
static int resolve_find_default(struct rows_table *table, size_t group_count, bool *by_name, struct error_text *message)
{
    size_t count = 0, others = 0, named;
    char list[LISTED_MAX];
    for (size_t i = 0; i < table->column_count; i++) {
        size_t g = 0;
        while (g < group_count && table->group_at[g] != i)
            g++;
        if (g < group_count) {
            table->numeric[i] = false;
            continue;
        }
        if (count == 0 && others++ == 0)
            table->value_at[0] = i;
        if (table->numeric[i]) {
            table->value_at[0] = i;
            count++;
        }
    }
    if (count == 1 || (count == 0 && others == 1))
        return STATUS_GOOD;
    if (count > 1 && (named = resolve_named_as_value(table)) != SIZE_MAX) {
        table->value_at[0] = named;
        *by_name = true;
        return STATUS_GOOD;
    }
    resolve_list_columns(list, table, count ? table->numeric : NULL);
    if (count)
        return error_set(message, STATUS_USAGE, "which column? There are %zu with numbers: %s; name one with --value",
                         count, list);
    return error_set(
        message, STATUS_BAD,
        "no column with numbers in its first rows; there are: %s; name one with --value to see what is wrong with it",
        list);
}

/* The request for this table: names, or positions implied by the format. */
struct wanted {
    const char *const *values, *const *groups;
    size_t value_count, group_count;
    bool text_group, text_label;
    const char *const *within; /* columns that tell processes apart, after the file if `within_file` */
    size_t within_count;
    bool within_file;
    bool lone_process;
};

static bool resolve_lists(const char *const *names, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i < count;
}

/* Whether one of these names is that of the column, or its position. */
static bool resolve_lists_column(const struct rows_table *table, const char *const *names, size_t count, size_t column)
{
    for (size_t i = 0; i < count; i++) {
        size_t found = rows_table_column(table, names[i]);
        if ((found == SIZE_MAX ? resolve_column_number(table, names[i]) : found) == column)
            return true;
    }
    return false;
}

/* Each benchmark has processes of its own: where --by puts several into one group, their columns tell these apart. */
static void resolve_imply_within(struct rows_table *table, struct wanted *wanted)
{
    const struct bench_meaning *meaning = &table->bench.meaning;
    bool by_file = strcmp(meaning->process, "file") == 0;
    size_t count = 0;
    for (size_t i = 0; meaning->groups[i] && !by_file; i++) {
        const char *name = meaning->groups[i];
        bool of_row = (meaning->aspect && strcmp(name, meaning->aspect) == 0) ||
                      (meaning->unit_column && strcmp(name, meaning->unit_column) == 0);
        if (!of_row &&
            !resolve_lists_column(table, wanted->groups, wanted->group_count, rows_table_column(table, name)))
            table->within[count++] = name;
    }
    table->within[count++] = meaning->process;
    wanted->within = table->within;
    wanted->within_count = count;
}

/* What tells the processes of a group apart: what is requested, or what the format implies. Processes of several files
 * are different ones, even if they have the same number. */
static void resolve_want_within(struct rows_table *table, const struct rows_request *request, bool file_column,
                                struct wanted *wanted)
{
    const char *process = table->bench.meaning.process;
    bool none = request->within_count == 1 && strcmp(request->within[0], "none") == 0 &&
                rows_table_column(table, "none") == SIZE_MAX;
    bool implied = request->within_count == 0 && request->levels && process &&
                   !resolve_lists(request->groups, request->group_count, process);
    wanted->within = request->within;
    wanted->within_count = none ? 0 : request->within_count;
    if (implied)
        resolve_imply_within(table, wanted);
    wanted->lone_process =
        !implied && request->within_count == 0 && request->levels && process && strcmp(process, "file") == 0;
    if (wanted->within_count == 0)
        return;
    bool by_file = implied && strcmp(process, "file") == 0;
    wanted->within_file = request->path_count > 1 && !request->within_any_file && !file_column &&
                          !resolve_lists(wanted->groups, wanted->group_count, "file") &&
                          (by_file || !resolve_lists(wanted->within, wanted->within_count, "file"));
    wanted->within_count -= by_file;
    wanted->lone_process = by_file && !wanted->within_file;
}

/* A later table has the columns of the first, but another tool's name of the process. */
static int resolve_match_within(struct rows_table *table, const struct rows_request *request, const char *first,
                                const struct rows_columns *columns, bool file_column, struct wanted *wanted,
                                struct error_text *message)
{
    const char *implied = table->bench.meaning.process;
    const char *last = columns->within_count ? columns->groups[columns->group_count - 1] : "file";
    resolve_want_within(table, request, file_column, wanted);
    size_t own = wanted->within_count + wanted->within_file;
    size_t more = 0; /* the first column that the first table does not have among these */
    while (wanted->within == table->within && more + 1 < wanted->within_count &&
           resolve_lists(columns->groups, columns->group_count, table->within[more]))
        more++;
    if (own > columns->within_count && strcmp(last, "file") != 0 && wanted->within == table->within)
        return error_set(message, STATUS_BAD,
                         "its processes differ in '%.60s', but those of %.150s don't; name the columns with --within",
                         table->within[more], first);
    /* Fewer columns tell them apart as well: the last one again takes up the rest. */
    for (; wanted->within_count > 0 && wanted->within == table->within && own < columns->within_count; own++) {
        table->within[wanted->within_count] = table->within[wanted->within_count - 1];
        wanted->within_count++;
    }
    if (own == columns->within_count)
        return STATUS_GOOD;
    if (!request->within_count && columns->within_count && strcmp(last, "file") != 0)
        return error_set(
            message, STATUS_BAD,
            "it does not say which process measured a value, but %.150s has '%.60s'; --within none takes all "
            "values as independent",
            first, last);
    if (!request->within_count && !columns->within_count)
        error_set(&table->doubt, 0, "values by '%.60s' are taken as independent, since %.60s has no such column",
                  implied ? implied : "process", first);
    wanted->within_count = 0;
    wanted->within_file = columns->within_count > 0;
    return STATUS_GOOD;
}

/* Whether the texts of this column, one per row, only tell runs apart, according to its name. */
static bool resolve_is_label(const struct rows_table *table, size_t column)
{
    static const char *const names[] = {"run",   "iteration",   "iter",        "rep", "repeat", "repetition", "sample",
                                        "trial", "measurement", "observation", "obs", "round",  "id",         "index"};
    const char *name = table->names[column];
    size_t length = strlen(name);
    for (size_t i = 0; table->distinct[column] && i < sizeof names / sizeof *names; i++) {
        size_t own = strlen(names[i]);
        if (strncasecmp(name, names[i], own) == 0 &&
            (length == own || strcasecmp(name + own, "s") == 0 || strcasecmp(name + own, "_id") == 0))
            return true;
    }
    return false;
}

/* The only text column that is not requested for values; with `labels`, not one that only tells runs apart. */
static void resolve_want_text(const struct rows_table *table, bool labels, struct wanted *wanted)
{
    size_t count = 0, last = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        bool requested = false;
        for (size_t v = 0; v < wanted->value_count; v++)
            requested |= strcmp(wanted->values[v], table->names[i]) == 0;
        if (table->textual[i] && !rows_holds_units(table, i) && !requested) {
            count++;
            last = i;
        }
    }
    if (count != 1 || table->column_count == 1)
        return;
    /* A text per row in a column without a name is what ministat -C 2 skips. */
    bool nameless_label = table->distinct[last] && resolve_column_number(table, table->names[last]) == last;
    if (labels && (resolve_is_label(table, last) || nameless_label)) {
        wanted->text_label = true;
        return;
    }
    wanted->groups = (const char *const *)&table->names[last];
    wanted->group_count = 1;
    wanted->text_group = true;
}

static size_t resolve_group_total(const struct wanted *wanted, bool file_column)
{
    return file_column + wanted->group_count + wanted->within_file + wanted->within_count;
}

/* How many of the metrics are values by default. */
static size_t resolve_shown_metrics(const struct bench_meaning *meaning)
{
    size_t count = 0;
    while (meaning->metrics[count] && (!meaning->shown_metrics || count < meaning->shown_metrics))
        count++;
    return count;
}

static struct wanted resolve_wanted(struct rows_table *table, const struct rows_request *request,
                                    const struct rows_columns *columns, bool file_column)
{
    struct wanted wanted = {.values = request->values,
                            .groups = request->groups,
                            .value_count = request->value_count,
                            .group_count = request->group_count};
    if (columns->value_count > 0)
        return (struct wanted){.values = columns->values,
                               .groups = columns->groups + file_column,
                               .value_count = columns->value_count,
                               .group_count = columns->group_count - file_column - columns->within_count};
    if (!wanted.value_count && request->all_metrics && table->bench.meaning.metrics[0]) {
        wanted.values = table->bench.meaning.metrics;
        wanted.value_count = resolve_shown_metrics(&table->bench.meaning);
    } else if (!wanted.value_count && table->bench.meaning.value) {
        wanted.values = &table->bench.meaning.value;
        wanted.value_count = 1;
    }
    if (!wanted.group_count && request->whole_groups_default) {
        wanted.groups = table->bench.meaning.groups;
        while (table->bench.meaning.groups[wanted.group_count])
            wanted.group_count++;
    }
    if (!wanted.group_count && request->text_is_group && !table->bench.meaning.format)
        resolve_want_text(table, file_column, &wanted);
    resolve_want_within(table, request, file_column, &wanted);
    return wanted;
}

/* group_at: the file, the groups, the column of a wide table, and what tells processes apart. */
static int resolve_find_all(struct rows_table *table, const struct wanted *wanted, bool file_column, bool *by_name,
                            struct error_text *message)
{
    int status = STATUS_GOOD;
    const char *slash = strrchr(table->path, '/');
    table->directory =
        slash ? (struct rows_cell){table->path, (size_t)(slash - table->path)} : (struct rows_cell){".", 1};
    size_t before = file_column + wanted->group_count + (table->wide_count > 0);
    table->value_at = calloc(wanted->value_count + 1, sizeof *table->value_at);
    table->group_at = calloc(before + wanted->within_file + wanted->within_count + 1, sizeof *table->group_at);
    if (!table->value_at || !table->group_at)
        return error_set(message, STATUS_BAD, "out of memory");
    if (file_column)
        table->group_at[0] = table->column_count + ROWS_FILE;
    for (size_t g = 0; !status && g < wanted->group_count; g++)
        status = resolve_find_column(table, wanted->groups[g], true, &table->group_at[g + file_column], message);
    if (table->wide_count > 0)
        table->group_at[before - 1] = table->column_count + ROWS_WIDE;
    if (wanted->within_file)
        table->group_at[before] = table->column_count + ROWS_FILE;
    before += wanted->within_file;
    for (size_t w = 0; !status && w < wanted->within_count; w++)
        status = resolve_find_column(table, wanted->within[w], true, &table->group_at[before + w], message);
    for (size_t v = 0; !status && v < wanted->value_count; v++)
        status = resolve_find_column(table, wanted->values[v], false, &table->value_at[v], message);
    if (!status && !wanted->value_count)
        status = resolve_find_default(table, before + wanted->within_count, by_name, message);
    return status;
}

static char **resolve_copy_names(const struct rows_table *table, const size_t *at, size_t count)
{
    static const char *const beyond[] = {[ROWS_FILE] = "file", [ROWS_WIDE] = "column", [ROWS_DIRECTORY] = "directory"};
    char **names = calloc(count + 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++) {
        names[i] = strdup(at[i] < table->column_count ? table->names[at[i]] : beyond[at[i] - table->column_count]);
        if (!names[i]) {
            while (i-- > 0)
                free(names[i]);
            free(names);
            return NULL;
        }
    }
    return names;
}

static int resolve_fill_columns(struct rows_table *table, size_t value_count, size_t group_count, size_t within_count,
                                struct rows_columns *columns, struct error_text *message)
{
    struct rows_columns fresh = {.units = rows_units_new(value_count), .within_count = within_count};
    fresh.values = (const char *const *)resolve_copy_names(table, table->value_at, value_count);
    fresh.value_count = fresh.values ? value_count : 0;
    fresh.groups = (const char *const *)resolve_copy_names(table, table->group_at, group_count);
    fresh.group_count = fresh.groups ? group_count : 0;
    int status = fresh.values && fresh.groups && fresh.units ? rows_units_join(table, &fresh, message)
                                                             : error_set(message, STATUS_BAD, "out of memory");
    if (status)
        rows_columns_free(&fresh);
    else
        *columns = fresh;
    return status;
}

/* Whether each row is a different thing, by a text of its own in a column that was not requested. */
static bool resolve_is_keyed(const struct rows_table *table, const struct rows_columns *columns, bool file_column)
{
    for (size_t i = 0; i < table->column_count; i++) {
        bool asked = false;
        for (size_t g = file_column; g < columns->group_count; g++)
            asked |= table->group_at[g] == i;
        if (table->distinct[i] && !asked && !resolve_is_label(table, i))
            return true;
    }
    return false;
}

/* Metrics by default are those of the first file: a later one may lack some, and its additional ones are reported. */
static int resolve_match_metrics(struct rows_table *table, const char *first, const struct rows_columns *columns,
                                 struct error_text *message)
{
    char more[LISTED_MAX] = "";
    for (size_t v = 0; v < columns->value_count; v++) {
        const char *name = columns->values[v];
        if (rows_table_column(table, name) == SIZE_MAX &&
            (csv_add_column(table->bench.csv, name) == CSV_NONE || !rows_table_add(table, name, strlen(name), false)))
            return error_set(message, STATUS_BAD, "out of memory");
    }
    for (size_t m = 0, shown = resolve_shown_metrics(&table->bench.meaning); m < shown; m++) {
        const char *metric = table->bench.meaning.metrics[m];
        size_t v = 0;
        while (v < columns->value_count && strcmp(columns->values[v], metric) != 0)
            v++;
        if (v == columns->value_count)
            error_list(more, sizeof more, metric);
    }
    if (*more)
        error_set(&table->doubt, 0, "%s left out, which %.60s does not have", more, first);
    return STATUS_GOOD;
}

/* The columns of a wide table, and as its last group the column that a value comes from. */
static int resolve_wide(struct rows_table *table, const struct rows_request *request, bool file_column,
                        const char *first_path, struct rows_columns *columns, struct error_text *message)
{
    bool first = columns->value_count == 0;
    /* The groups of a wide table: the requested ones, or those of the first file, or its only text column. */
    struct wanted wanted = {.values = request->wide,
                            .groups = request->groups,
                            .value_count = request->wide_count,
                            .group_count = request->group_count};
    if (columns->value_count > 0) {
        wanted.groups = columns->groups + file_column;
        wanted.group_count = columns->group_count - file_column - 1 - columns->within_count;
    } else if (!wanted.group_count && request->text_is_group) {
        resolve_want_text(table, true, &wanted);
    }
    wanted.value_count = 1;
    resolve_want_within(table, request, file_column, &wanted);

    bool by_name = false;
    table->wide_at = calloc(request->wide_count, sizeof *table->wide_at);
    int status = table->wide_at ? STATUS_GOOD : error_set(message, STATUS_BAD, "out of memory");
    for (size_t w = 0; !status && w < request->wide_count; w++)
        status = resolve_find_column(table, request->wide[w], false, &table->wide_at[w], message);
    table->wide_count = request->wide_count;
    if (!status && !first)
        status = resolve_match_within(table, request, first_path, columns, file_column, &wanted, message);
    if (!status)
        status = resolve_find_all(table, &wanted, file_column, &by_name, message);
    if (!status && first)
        status = resolve_fill_columns(table, 1, resolve_group_total(&wanted, file_column) + 1,
                                      wanted.within_count + wanted.within_file, columns, message);
    if (!status && first) {
        columns->lone_process = wanted.lone_process;
        columns->text_group = wanted.text_group;
        columns->text_label = wanted.text_label;
        columns->keyed = resolve_is_keyed(table, columns, file_column);
        /* The values of a wide table have no name of their own. */
        char **names = (char **)(uintptr_t)columns->values, *name = strdup("value");
        if (!name)
            return error_set(message, STATUS_BAD, "out of memory");
        free(names[0]);
        names[0] = name;
    }
    return status || first ? status : rows_units_join(table, columns, message);
}

/* Takes the aspect that divides the iterations of a process out of the groups. */
static void resolve_join_phases(struct bench_meaning *meaning)
{
    size_t kept = 0;
    for (size_t i = 0; meaning->groups[i]; i++)
        if (strcmp(meaning->groups[i], meaning->aspect) != 0)
            meaning->groups[kept++] = meaning->groups[i];
    meaning->groups[kept] = NULL;
}

int rows_resolve(struct rows_table *table, const struct rows_request *request, bool file_column, const char *first,
                 struct rows_columns *columns, struct error_text *message)
{
    if (request->whole_processes && table->bench.meaning.aspect_is_phase)
        resolve_join_phases(&table->bench.meaning);
    if (request->wide_count > 0)
        return resolve_wide(table, request, file_column, first, columns, message);
    struct wanted wanted = resolve_wanted(table, request, columns, file_column);
    size_t value_count = wanted.value_count ? wanted.value_count : 1;
    int status = STATUS_GOOD;
    bool by_name = false;
    if (columns->value_count && request->all_metrics && !request->value_count && table->bench.meaning.metrics[0])
        status = resolve_match_metrics(table, first, columns, message);
    if (!status && columns->value_count)
        status = resolve_match_within(table, request, first, columns, file_column, &wanted, message);
    if (!status)
        status = resolve_find_all(table, &wanted, file_column, &by_name, message);
    if (status)
        return status;
    if (columns->value_count == 0) {
        status = resolve_fill_columns(table, value_count, resolve_group_total(&wanted, file_column),
                                      wanted.within_count + wanted.within_file, columns, message);
        columns->lone_process = wanted.lone_process;
        columns->value_by_name = by_name;
        columns->text_group = wanted.text_group;
        columns->text_label = wanted.text_label;
        columns->keyed = resolve_is_keyed(table, columns, file_column);
        return status;
    }
    /* A later file must be consistent with earlier ones: the same units, and no benchmarks that would be mixed. */
    int checked = rows_units_join(table, columns, message);
    if (checked)
        return checked;
    if (request->group_count || !request->whole_groups_default)
        return STATUS_GOOD;
    for (size_t i = 0; table->bench.meaning.groups[i]; i++) {
        size_t g = 0;
        while (g < columns->group_count && strcmp(columns->groups[g], table->bench.meaning.groups[i]) != 0)
            g++;
        if (g == columns->group_count &&
            (!file_column ||
             csv_varies(table->bench.csv, csv_column(table->bench.csv, table->bench.meaning.groups[i]))))
            return error_set(message, STATUS_BAD,
                             "its benchmarks differ in '%.60s', but those of %.150s don't; name the group columns with "
                             "--by",
                             table->bench.meaning.groups[i], first);
    }
    return STATUS_GOOD;
}
