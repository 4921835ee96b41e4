#include "collect/experiment/results/steps_check.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text_set.h"
#include "collect/experiment/description/spec_read.h"

#define STEPS_COUNT(array) (sizeof(array) / sizeof *(array))

/* Programs on tables get the table of runs, all others get traces. */
static const char *const steps_table_verbs[] = {"acf", "anova", "ci", "compare", "fit", "history", "plot", "warmup"};
static const char *const steps_trace_verbs[] = {"agree",     "audit",  "cache", "causality", "dump",     "hot",  "info",
                                                "intervals", "phases", "rate",  "strides",   "variance", "waste"};

static bool steps_is_among(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

bool steps_reads_table(const char *verb)
{
    return steps_is_among(verb, steps_table_verbs, STEPS_COUNT(steps_table_verbs));
}

/* ------------------------------------------------------------------------------------------------ checking -- */

/* What the program prints to the line with --help at its end, where it runs no further. `first`, unless it is NULL,
 * comes before the line. With `in_order`, options end at the first input. */
static const char *steps_read_help(struct spec *spec, struct launcher *launcher, const struct words *line,
                                   const char *first, bool in_order, int *status)
{
    const char *name = "POSIXLY_CORRECT", *value = "1";
    const struct spec_environment environment = {&name, &value, 1};
    struct words command = {0};
    words_add(spec->memory, &command, start_program(spec->memory, line->list[0]));
    if (first)
        words_add(spec->memory, &command, first);
    for (size_t i = 1; i < line->count; i++)
        words_add(spec->memory, &command, line->list[i]);
    words_add(spec->memory, &command, "--help");
    return start_read(spec->memory, launcher, &command, in_order ? &environment : NULL, status);
}

/* A command on a line of record is not run, since there is no such output. */
void steps_check_options(struct spec *spec, struct launcher *launcher, const struct tree *at, const struct words *line,
                         const char *first)
{
    static const char nowhere[] = "/dev/null/x";
    bool is_record = strcmp(line->list[0], "record") == 0;
    bool is_audit = line->count > 1 && strcmp(line->list[0], "audit") == 0 && strcmp(line->list[1], "profiler") == 0;
    bool in_order = strcmp(line->list[0], "plot") != 0 && !is_audit; /* they have a word that is not an option */
    int status = 0;
    if (is_record)
        first = memory_print(spec->memory, "--output=%s", nowhere);
    const char *text = steps_read_help(spec, launcher, line, first, in_order, &status);
    if (text && status == 0)
        return;
    bool has_more = text && is_record && strstr(text, nowhere);
    if (text && !is_record) {
        text = steps_read_help(spec, launcher, line, first, false, &status);
        has_more = text && status == 0;
    }
    if (has_more) {
        spec_error(spec, at, "%s: only options are wanted on this line; %s", line->list[0],
                   is_record ? "the command belongs to programs" : "inputs come from the recording");
        return;
    }
    const char *own = text && strncmp(text, "assay-", 6) == 0 ? text + 6 : text;
    if (!own)
        own = "assay's programs can't be started";
    spec_error(spec, at, "%.*s", (int)strcspn(own, "\n"), own);
}

bool steps_check_verb(struct spec *spec, const struct spec_result *result)
{
    const char *names[STEPS_COUNT(steps_table_verbs) + STEPS_COUNT(steps_trace_verbs)];
    size_t count = 0;
    for (size_t i = 0; i < STEPS_COUNT(steps_table_verbs); i++)
        names[count++] = steps_table_verbs[i];
    for (size_t i = 0; i < STEPS_COUNT(steps_trace_verbs); i++)
        names[count++] = steps_trace_verbs[i];
    if (result->line.count == 0)
        return false;
    const char *verb = result->line.list[0];
    if (!steps_is_among(verb, names, count))
        spec_read_unknown(spec, result->at, "the verb", verb, names, count);
    else if (strcmp(verb, "plot") == 0 && result->kind != SPEC_FIGURE)
        spec_error(spec, result->at, "plot belongs to figures:");
    else if (!start_has_program(spec->memory, verb))
        spec_error(spec, result->at, "assay %s is not installed here", verb);
    else
        return true;
    return false;
}

/* ------------------------------------------------------------------------------------------------ clashes -- */

/* The names of files, and of the directories that they need. */
struct steps_names {
    struct text_set files, directories;
    const char **below; /* by number of a directory: a file there */
    size_t capacity;
};

static bool steps_is_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* The number of a name in a set. Like all memory of the description, this ends the program where there is none. */
static uint32_t steps_intern(struct text_set *set, const char *name)
{
    uint32_t number = text_set_add(set, name);
    if (number == TEXT_SET_FULL)
        obstack_alloc_failed_handler();
    return number;
}

/* Adds a file; returns the earlier file that can't exist beside it, or NULL. */
static const char *steps_add_name(struct obstack *memory, struct steps_names *names, const char *name)
{
    const char *clash = text_set_has(&names->files, name) ? name : NULL;
    uint32_t number = text_set_find(&names->directories, name);
    if (!clash && number != TEXT_SET_FULL)
        clash = names->below[number];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *directory = memory_copy(memory, name, (size_t)(slash - name));
        if (!clash && text_set_has(&names->files, directory))
            clash = directory;
        number = steps_intern(&names->directories, directory);
        names->below = memory_lengthen(memory, names->below, number, &names->capacity, sizeof *names->below);
        names->below[number] = name;
    }
    steps_intern(&names->files, name);
    return clash;
}

/* Files of the description, of recordings, of all values (values.h), and of the report (../page/page.h). */
static void steps_check_reserved(struct spec *spec, const struct step *step, const char *name, bool has_values)
{
    const char *file = strrchr(spec->path, '/') ? strrchr(spec->path, '/') + 1 : spec->path;
    const char *slash = *spec->directory ? "/" : "";
    for (int latex = 0; latex < 2 && has_values; latex++)
        if (strcmp(name, memory_print(spec->memory, "%s%svalues.%s", spec->directory, slash, latex ? "tex" : "json")) ==
            0)
            spec_error(spec, step->result->at, "%.200s is for all values; choose another name", name);
    for (int pdf = 0; pdf < 2; pdf++)
        if (strcmp(name, memory_print(spec->memory, "%s%sreport.%s", spec->directory, slash, pdf ? "pdf" : "html")) ==
            0)
            spec_error(spec, step->result->at, "%.200s is for the report; choose another name", name);
    if (steps_is_below(name, spec->data))
        spec_error(spec, step->result->at, "%.200s lies in %.100s, which is for recordings", name, spec->data);
    else if (steps_is_below(spec->data, name))
        spec_error(spec, step->result->at, "%.200s is a directory of recordings", name);
    if (steps_is_below(file, name))
        spec_error(spec, step->result->at, "%.200s is this file", name);
}

static void steps_check_file(struct spec *spec, const struct step *step, const char *name, struct steps_names *names,
                             bool has_values)
{
    steps_check_reserved(spec, step, name, has_values);
    const char *clash = steps_add_name(spec->memory, names, name);
    if (clash && strcmp(clash, name) == 0)
        spec_error(spec, step->result->at, "two results go to %.200s; write {%s} or another name into the second", name,
                   spec_variable_name(spec, 0));
    else if (clash)
        spec_error(spec, step->result->at, "%.150s and %.150s can't both exist", clash, name);
}

void steps_check_clashes(struct spec *spec, const struct steps *steps)
{
    struct steps_names names = {0};
    struct text_set values = {0};
    bool has_values = false;
    for (size_t i = 0; i < spec->result_count; i++)
        has_values |= spec->results[i].kind == SPEC_VALUE;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step *step = &steps->list[i];
        if (step->result->kind == SPEC_VALUE) {
            if (text_set_has(&values, step->name))
                spec_error(spec, step->result->at, "two results give values called %.200s; change a name", step->name);
            steps_intern(&values, step->name);
            continue;
        }
        steps_check_file(spec, step, step->name, &names, has_values);
        if (steps_graphics(spec->memory, step))
            steps_check_file(spec, step, steps_graphics(spec->memory, step), &names, has_values);
    }
    text_set_free(&values);
    text_set_free(&names.files);
    text_set_free(&names.directories);
}
