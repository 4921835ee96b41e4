#include "analyze/audit/profiler/profilers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

double profilers_number(const char *cell)
{
    return strtod(cell, NULL);
}

size_t profilers_count(const char *cell)
{
    return (size_t)strtoull(cell, NULL, 10);
}

size_t profilers_find(const struct profilers *all, const char *name)
{
    size_t p = 0;
    while (p < all->count && strcmp(all->each[p].name, name) != 0)
        p++;
    return p;
}

/* The profiler of this name, added if it is new; NULL without memory. */
static struct profiler *profilers_add(struct profilers *all, const char *name)
{
    size_t p = profilers_find(all, name);
    struct profiler *each = grow(all->each, &all->capacity, p, sizeof *each);
    if (!each)
        return NULL;
    all->each = each;
    if (p == all->count)
        each[all->count++] = (struct profiler){.name = name, .cost = "", .cost_lo = "", .cost_hi = "", .reason = ""};
    return &each[p];
}

/* A cell of this column, "" if there is none. */
static const char *profilers_cell(const struct csv *csv, size_t row, const char *name)
{
    size_t column = csv_column(csv, name);
    const char *text = column == CSV_NONE ? NULL : csv_cell(csv, row, column);
    return text ? text : "";
}

/* These functions each add a row of a table; false without memory. */

static bool profilers_add_run(struct profilers *all, const struct csv *csv, size_t row)
{
    struct profiler *one = profilers_add(all, profilers_cell(csv, row, "profiler"));
    if (!one)
        return false;
    if (strcmp(profilers_cell(csv, row, "status"), "failed") == 0) {
        one->failure = profilers_cell(csv, row, "why");
    } else {
        one->runs++;
        one->wall_s += profilers_number(profilers_cell(csv, row, "wall_s"));
    }
    return true;
}

static bool profilers_add_cost(struct profilers *all, const struct csv *csv, size_t row)
{
    struct profiler *one = profilers_add(all, profilers_cell(csv, row, "name"));
    if (!one)
        return false;
    one->cost = profilers_cell(csv, row, "change");
    one->cost_lo = profilers_cell(csv, row, "change_lo");
    one->cost_hi = profilers_cell(csv, row, "change_hi");
    return true;
}

static bool profilers_add_thread(struct profilers *all, const struct csv *csv, size_t row)
{
    const char *name = profilers_cell(csv, row, "profiler"), *verdict = profilers_cell(csv, row, "verdict");
    if (strcmp(name, "profiler") == 0)
        return true;
    struct profiler *one = profilers_add(all, name);
    if (one && strcmp(verdict, "random") == 0) {
        one->random++;
    } else if (one && strncmp(verdict, "not random", strlen("not random")) == 0) {
        one->not_random++;
        one->reason = verdict;
    }
    return one;
}

static bool profilers_add_pair(struct profilers *all, const struct csv *csv, size_t row)
{
    struct profiler *a = profilers_add(all, profilers_cell(csv, row, "a"));
    if (a)
        a->hottest = profilers_cell(csv, row, "hottest_a");
    struct profiler *b = profilers_add(all, profilers_cell(csv, row, "b"));
    struct profilers_pair *pairs = grow(all->pairs, &all->pair_capacity, all->pair_count, sizeof *pairs);
    if (pairs)
        all->pairs = pairs;
    if (!a || !b || !pairs)
        return false;
    b->hottest = profilers_cell(csv, row, "hottest_b");
    pairs[all->pair_count++] = (struct profilers_pair){.a = profilers_find(all, profilers_cell(csv, row, "a")),
                                                       .b = profilers_find(all, profilers_cell(csv, row, "b")),
                                                       .distance = profilers_cell(csv, row, "distance"),
                                                       .lo = profilers_cell(csv, row, "lo"),
                                                       .hi = profilers_cell(csv, row, "hi"),
                                                       .class = profilers_cell(csv, row, "class")};
    return true;
}

static bool profilers_add_slope(struct profilers *all, const struct csv *csv, size_t row)
{
    struct profiler *one = profilers_add(all, profilers_cell(csv, row, "profiler"));
    struct profilers_slope *slopes = grow(all->slopes, &all->slope_capacity, all->slope_count, sizeof *slopes);
    if (slopes)
        all->slopes = slopes;
    if (!one || !slopes)
        return false;
    struct profilers_slope slope = {.profiler = (size_t)(one - all->each),
                                    .method = profilers_cell(csv, row, "method"),
                                    .slope = profilers_cell(csv, row, "slope"),
                                    .lo = profilers_cell(csv, row, "lo"),
                                    .hi = profilers_cell(csv, row, "hi"),
                                    .r2 = profilers_cell(csv, row, "r2"),
                                    .points = profilers_cell(csv, row, "points"),
                                    .runs = profilers_cell(csv, row, "runs"),
                                    .look = profilers_cell(csv, row, "look"),
                                    .invalid_points = profilers_cell(csv, row, "invalid_points"),
                                    .verdict = profilers_cell(csv, row, "verdict")};
    one->slopes++;
    one->actionable += strcmp(slope.verdict, "actionable") == 0;
    one->not_actionable += strcmp(slope.verdict, "not actionable") == 0;
    one->undecided += strcmp(slope.verdict, "undecided") == 0;
    one->invalid += strcmp(slope.verdict, "invalid") == 0;
    one->invalid_points += profilers_count(slope.invalid_points);
    if (*slope.slope) {
        one->with_slope++;
        one->slope_sum += profilers_number(slope.slope);
        one->last_slope = all->slope_count;
    }
    slopes[all->slope_count++] = slope;
    return true;
}

static const struct {
    const char *file;
    bool (*add_row)(struct profilers *all, const struct csv *csv, size_t row);
} profilers_tables[PROFILERS_TABLES] = {
    [PROFILERS_RUNS] = {"runs.tsv", profilers_add_run},
    [PROFILERS_COSTS] = {"cost.tsv", profilers_add_cost},
    [PROFILERS_INTERVALS] = {"intervals.tsv", profilers_add_thread},
    [PROFILERS_PAIRS] = {"agree.tsv", profilers_add_pair},
    [PROFILERS_SLOPES] = {"causality.tsv", profilers_add_slope},
};

/* *in is NULL for a file that is missing or empty. */
static int profilers_open(const char *path, FILE **in, struct error_text *message)
{
    *in = fopen(path, "re");
    if (!*in)
        return errno == ENOENT ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s: %s", path, strerror(errno));
    int first = getc(*in);
    if (first != EOF) {
        ungetc(first, *in);
        return STATUS_GOOD;
    }
    fclose(*in);
    *in = NULL;
    return STATUS_GOOD;
}

static int profilers_read_table(struct profilers *all, enum profilers_table table, struct error_text *message)
{
    const char *path = profilers_tables[table].file;
    FILE *in;
    int status = profilers_open(path, &in, message);
    if (status || !in)
        return status;
    status = csv_read(in, &all->tables[table], message);
    fclose(in);
    if (status) {
        error_prefix(message, path);
        return status;
    }
    for (size_t row = 0; row < all->tables[table]->row_count; row++)
        if (!profilers_tables[table].add_row(all, all->tables[table], row))
            return error_set(message, STATUS_BAD, "out of memory");
    return STATUS_GOOD;
}

/* Takes over the line; false without memory. */
static bool profilers_add_line(struct profilers_lines *lines, char *line)
{
    char **grown = line ? grow(lines->line, &lines->capacity, lines->count, sizeof *grown) : NULL;
    if (!grown) {
        free(line);
        return false;
    }
    lines->line = grown;
    grown[lines->count++] = line;
    return true;
}

static int profilers_read_lines(const char *path, struct profilers_lines *lines, struct error_text *message)
{
    char *line = NULL;
    size_t size = 0;
    FILE *in;
    int status = profilers_open(path, &in, message);
    while (!status && in && getline(&line, &size, in) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (!profilers_add_line(lines, strdup(line)))
            status = error_set(message, STATUS_BAD, "out of memory");
    }
    free(line);
    if (in)
        fclose(in);
    return status;
}

/* Notes say which recordings must not be believed, "NAME/FILE: …", and which profiles can't be compared,
 * "A, B: no method in common …"; no name has a blank. False without memory. */
static bool profilers_apply_notes(struct profilers *all)
{
    bool good = true;
    for (size_t i = 0; good && i < all->notes.count; i++) {
        const char *note = all->notes.line[i];
        size_t length = strcspn(note, "/");
        for (size_t p = 0; p < all->count && strstr(note, "DO NOT BELIEVE") && note[length]; p++)
            all->each[p].doubted |=
                strlen(all->each[p].name) == length && strncmp(all->each[p].name, note, length) == 0;

        size_t first = strcspn(note, " "), second = note[first] ? strcspn(note + first + 1, " ") : 0;
        const char *end = note + first + 1 + second;
        if (first < 2 || note[first - 1] != ',' || second < 2 || end[-1] != ':' ||
            strncmp(end, " no method in common", strlen(" no method in common")) != 0)
            continue;
        char *a = strndup(note, first - 1), *b = strndup(note + first + 1, second - 1);
        size_t(*strange)[2] = grow(all->strange, &all->strange_capacity, all->strange_count, sizeof *strange);
        if (strange) {
            all->strange = strange;
            strange[all->strange_count][0] = a ? profilers_find(all, a) : all->count;
            strange[all->strange_count++][1] = b ? profilers_find(all, b) : all->count;
        }
        good = a && b && strange;
        free(a);
        free(b);
    }
    return good;
}

/* The time to which a cost refers. A profiler starts and ends once (JFR takes about a second for that): in a minute
 * that is a few percent. */
static bool profilers_add_cost_note(struct profilers *all)
{
    double alone_s = profilers_alone_s(all);
    bool any = false;
    for (size_t p = 0; p < all->count; p++)
        any |= *all->each[p].cost && strcmp(all->each[p].name, "none") != 0;
    if (!any || isnan(alone_s))
        return true;
    char *note;
    if (asprintf(&note,
                 "costs: of the whole command's wall time, %.2f s without a profiler; a profiler's own start and end "
                 "are in them%s",
                 alone_s,
                 alone_s < 60 ? ", and weigh the more the shorter the run: audit a longer run to know what it costs "
                                "once it runs"
                              : "") < 0)
        return false;
    return profilers_add_line(&all->notes, note);
}

int profilers_read(struct profilers *all, const struct profilers_request *request, struct error_text *message)
{
    *all = (struct profilers){.request = request};
    int status = profilers_read_lines("names", &all->names, message);
    for (size_t i = 0; !status && i < all->names.count; i++)
        if (!profilers_add(all, all->names.line[i]))
            status = error_set(message, STATUS_BAD, "out of memory");
    for (int table = 0; !status && table < PROFILERS_TABLES; table++)
        status = profilers_read_table(all, (enum profilers_table)table, message);
    if (!status)
        status = profilers_read_lines("notes", &all->notes, message);
    if (!status && (!profilers_apply_notes(all) || !profilers_add_cost_note(all)))
        status = error_set(message, STATUS_BAD, "out of memory");
    return status;
}

static void profilers_free_lines(struct profilers_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->line[i]);
    free(lines->line);
}

void profilers_free(struct profilers *all)
{
    for (int table = 0; table < PROFILERS_TABLES; table++)
        csv_free(all->tables[table]);
    profilers_free_lines(&all->names);
    profilers_free_lines(&all->notes);
    free(all->each);
    free(all->pairs);
    free(all->slopes);
    free(all->strange);
}
