#include "collect/experiment/page/page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/html.h"
#include "base/text_stream.h"
#include "collect/experiment/page/page_parts.h"
#include "collect/experiment/state/busy.h"
#include "collect/experiment/state/file_text.h"
#include "collect/record/directory.h"
#include "collect/record/log.h"

/* The files of the page (page_files.S), each ended by a zero. */
extern const char experiment_page_html_file[], experiment_page_css_file[], experiment_page_js_file[];
extern const char experiment_table_css_file[], experiment_table_js_file[];

const char *page_path(struct obstack *memory, const struct spec *spec)
{
    return memory_print(memory, "%s%sreport.html", spec->directory, *spec->directory ? "/" : "");
}

const char *page_pdf_path(struct obstack *memory, const struct spec *spec)
{
    return memory_print(memory, "%s%sreport.pdf", spec->directory, *spec->directory ? "/" : "");
}

/* -------------------------------------------------------------------------------------------------- groups -- */

/* Whether two results come from the same command line, runs and files. */
static bool page_agree(const struct step *a, const struct step *b)
{
    if (a->line.count != b->line.count || a->cell_count != b->cell_count || a->of_runs != b->of_runs ||
        a->file_count != b->file_count)
        return false;
    for (size_t i = 0; i < a->line.count; i++)
        if (strcmp(a->line.list[i], b->line.list[i]) != 0)
            return false;
    for (size_t i = 0; i < a->cell_count; i++)
        if (a->cells[i] != b->cells[i])
            return false;
    for (size_t i = 0; i < a->file_count; i++)
        if (strcmp(a->files[i].path, b->files[i].path) != 0 || !a->files[i].label != !b->files[i].label ||
            (a->files[i].label && strcmp(a->files[i].label, b->files[i].label) != 0))
            return false;
    return true;
}

static void page_find_groups(struct page *page)
{
    const struct steps *steps = page->steps;
    struct obstack *memory = &page->experiment->memory;
    bool *taken = memory_allocate(memory, steps->count, sizeof *taken);
    page->groups = memory_allocate(memory, steps->count, sizeof *page->groups);
    for (size_t i = 0; i < steps->count; i++) {
        struct page_group *group = &page->groups[page->group_count];
        size_t *members = memory_allocate(memory, steps->count - i, sizeof *members), count = 0;
        if (taken[i])
            continue;
        for (size_t j = i; j < steps->count; j++)
            if (!taken[j] && page_agree(&steps->list[i], &steps->list[j])) {
                taken[j] = true;
                members[count++] = j;
                group->has_table |= steps->list[j].result->kind == SPEC_TABLE;
                group->has_figure |= steps->list[j].result->kind == SPEC_FIGURE;
            }
        group->members = members;
        group->count = count;
        page->group_count++;
    }
}

/* Whether the text is a warning of an earlier group. */
static bool page_is_known(const struct page *page, size_t group, const char *text)
{
    for (size_t g = 0; g < group; g++)
        for (size_t i = 0; i < page->groups[g].fragment.warnings.count; i++)
            if (strcmp(page->groups[g].fragment.warnings.list[i], text) == 0)
                return true;
    return false;
}

void page_fail(const struct page *page, size_t step, const char *why)
{
    if (!*page->failure->text)
        error_set(page->failure, STATUS_BAD, "%.200s: %.200s", page->steps->list[step].name, why);
}

static void page_read_group(struct page *page, size_t number)
{
    struct page_group *group = &page->groups[number];
    struct error_text message;
    size_t first = group->members[0];
    if (!fragment_read(page->experiment, &page->steps->list[first], &page->outcomes[first], &group->fragment, &message))
        page_fail(page, first, message.text);
    group->columns = number;
    for (size_t g = 0; g < number && group->columns == number; g++)
        if (strcmp(page->groups[g].fragment.parts[FRAGMENT_COLUMNS], group->fragment.parts[FRAGMENT_COLUMNS]) == 0)
            group->columns = g;
    for (size_t i = 0; i < group->fragment.warnings.count; i++)
        page->warning_count += !page_is_known(page, number, group->fragment.warnings.list[i]);
    for (size_t i = 0; i < group->count; i++)
        page->error_count += page->outcomes[group->members[i]].error != NULL;
}

/* ------------------------------------------------------------------------------------------------- writing -- */

static void page_write_title(FILE *out, const struct page *page)
{
    const struct spec *spec = &page->experiment->spec;
    const char *slash = strrchr(spec->path, '/'), *name = slash ? slash + 1 : spec->path;
    page_escape(out, spec->title ? spec->title : spec->question ? spec->question : name);
}

/* By the name of its recordings, a report is known as that of its experiment. */
static void page_write_experiment(FILE *out, const struct page *page)
{
    page_escape(out, page->experiment->spec.data);
}

static int page_write_mark(FILE *out, const char *name, size_t length, const void *contents)
{
    static const struct {
        const char *name, *text, *more;
    } texts[] = {{"STYLE", experiment_table_css_file, experiment_page_css_file},
                 {"SCRIPT", experiment_table_js_file, experiment_page_js_file},
                 {"VERSION", ASSAY_VERSION, ""}};
    static const struct {
        const char *name;
        void (*write)(FILE *out, const struct page *page);
    } parts[] = {{"TITLE", page_write_title},         {"EXPERIMENT", page_write_experiment},
                 {"ALIGNMENT", page_write_alignment}, {"HEAD", page_write_head},
                 {"CONTENTS", page_write_contents},   {"REMARKS", page_write_remarks},
                 {"METHOD", page_write_method},       {"MACHINES", page_write_machines},
                 {"RUNS", page_write_runs},           {"RESULTS", page_write_results},
                 {"VALUES", page_write_values},       {"COLUMNS", page_write_columns},
                 {"COMMANDS", page_write_commands},   {"DATA", page_write_data}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strlen(texts[i].name) == length && memcmp(texts[i].name, name, length) == 0) {
            fputs(texts[i].text, out);
            fputs(texts[i].more, out);
            return 0;
        }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0) {
            parts[i].write(out, contents);
            return 0;
        }
    return EINVAL;
}

/* A report of another experiment, or another file, is left alone. */
static int page_check_file(struct page *page, const char *path, const char *text, struct error_text *message)
{
    static const char mark[] = "<meta name=\"experiment\" content=\"";
    const char *old = file_text_read_path(&page->experiment->memory, path);
    const char *before = old ? strstr(old, mark) : NULL, *now = strstr(text, mark);
    page->is_replaced = before && strncmp(before, now, strcspn(now, "\n")) == 0;
    if (!old || page->is_replaced)
        return STATUS_GOOD;
    return error_set(message, STATUS_BAD,
                     "%.400s: it is not the report of this experiment; remove it, or choose another directory of "
                     "results",
                     path);
}

int page_make(struct experiment *experiment, const struct steps *steps, const struct report_outcome *outcomes)
{
    struct obstack *memory = &experiment->memory;
    struct error_text message, failure = {""};
    struct page page = {.experiment = experiment, .steps = steps, .outcomes = outcomes, .up = "", .failure = &failure};
    const char *path = page_path(memory, &experiment->spec);
    char *text = NULL;
    size_t size = 0;
    bool changed = false;
    for (const char *slash = path; (slash = strchr(slash, '/')); slash++)
        page.up = memory_print(memory, "../%s", page.up);
    page.result_count = steps->count;
    page.busy = busy_describe(experiment);
    page.warning_count = page.busy ? 1 : 0;
    page_find_groups(&page);
    for (size_t g = 0; g < page.group_count && !launch_interrupted(&experiment->launcher); g++)
        page_read_group(&page, g);
    if (experiment->launcher.interrupted_by)
        return 128 + experiment->launcher.interrupted_by;
    FILE *out = text_stream_open(&text, &size);
    if (!out)
        obstack_alloc_failed_handler();
    int error = html_write_page(out, experiment_page_html_file, page_write_mark, &page);
    if (!text_stream_close(out, &text) || error)
        obstack_alloc_failed_handler();
    error = *experiment->spec.directory ? directory_make(experiment->spec.directory) : 0;
    int status = error ? error_set(&message, STATUS_BAD, "%.400s: %s", experiment->spec.directory, strerror(error))
                       : page_check_file(&page, path, text, &message);
    bool is_taken =
        !error && status; /* by a report of another experiment, whose results may be in the same directory */
    if (!status)
        status = file_text_replace(memory, path, text, size, &changed, &message);
    if (!status)
        status = state_save_made(&experiment->state, &message);
    if (status)
        log_error("%s", message.text);
    else if (changed)
        log_note("%s: written", path);
    if (!status && *failure.text) {
        log_error("%s: it lacks the page of %s", path, failure.text);
        status = STATUS_BAD;
    }
    if (!status)
        status = page_make_pdf(&page, text);
    free(text);
    return is_taken ? STATUS_GOOD : status;
}
