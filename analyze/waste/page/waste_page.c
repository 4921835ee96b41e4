#include "analyze/waste/page/waste_page.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/html.h"
#include "base/replace.h"
#include "base/json_memory.h"
#include "base/text_stream.h"
#include "analyze/waste/page/waste_page_parts.h"
#include "analyze/waste/tables/waste_notes.h"

/* The files of the page (waste_page_files.S), each ended by a zero. */
extern const char waste_page_html_file[], waste_page_css_file[], waste_page_model_file[], waste_page_list_file[],
    waste_page_views_file[], waste_page_detail_file[], waste_page_app_file[];

/* --- contents --- */

/* Adds the first `most` texts of `from`, without those that are there. */
static void waste_page_add_texts(json_t *into, const json_t *from, size_t most)
{
    size_t i, j;
    json_t *text, *other;
    json_array_foreach(from, i, text)
    {
        bool known = i >= most;
        json_array_foreach(into, j, other) known |= json_equal(text, other);
        if (!known)
            json_array_append(into, text);
    }
}

/* The report's own notes are about the columns and rows of its table: the page has those about the recordings. */
static int waste_page_gather(struct waste_page_contents *contents, const struct report *printed)
{
    struct waste *waste = contents->waste;
    struct report *report = contents->report;
    int error = waste_group(waste, NULL, &contents->groups);
    if (!error)
        error = waste_kinds(waste, &contents->groups.items[0], false, report->options, &contents->kinds);
    if (!error) {
        waste_kind_notes(&contents->groups.items[0], &contents->kinds, report);
        waste_page_add_texts(report->warnings, printed->warnings, SIZE_MAX);
        waste_page_add_texts(report->notes, printed->notes, contents->request->input_notes);
        waste_notes(waste, NULL, report);
        const struct waste_request kinds = {.view = WASTE_VIEW_KINDS,
                                            .kind = contents->asked->kind,
                                            .sampled = waste_is_sampled(waste),
                                            .bursts = waste_count(waste, WASTE_BURST_ROWS) > 0,
                                            .adjacent = waste_records(waste, WASTE_ADJACENT_LOAD),
                                            .bias = contents->asked->bias,
                                            .confidence = report->options->confidence};
        contents->kinds_table = columns_table(&waste_tables[WASTE_KINDS_TABLE], COLUMNS_MACHINE, waste_given(&kinds));
        error = contents->kinds_table ? 0 : ENOMEM;
        if (!error)
            waste_print_kinds(&kinds, &contents->groups.items[0], &contents->kinds, contents->kinds_table, NULL);
    }
    if (!error)
        error = waste_rank(waste, contents->asked->kind, report->options, &contents->ranking);
    if (!error)
        error = waste_page_find_frames(waste, &contents->ranking, &contents->frames);
    return error;
}

static void waste_page_free(struct waste_page_contents *contents)
{
    waste_page_free_frames(&contents->frames);
    waste_ranking_free(&contents->ranking);
    table_free(contents->kinds_table);
    waste_kinds_free(&contents->kinds);
    waste_groups_free(&contents->groups);
}

/* --- the document --- */

static bool waste_page_write_title(FILE *out, const struct waste *waste)
{
    const char *command = "";
    if (waste_count(waste, WASTE_SOURCE_ROWS) > 0)
        command = waste_text(
            waste, ((const struct waste_source *)waste_row(waste, WASTE_SOURCE_ROWS, 0))->labels[RUN_LABEL_COMMAND]);
    return html_write_text(out, command);
}

/* Writes what a mark of page.html stands for. 0, EINVAL: there is no such mark, or ENOMEM. */
static int waste_page_write_mark(FILE *out, const char *mark, size_t length, const void *of_page)
{
    const struct waste_page_contents *contents = of_page;
    const struct {
        const char *mark, *text;
    } files[] = {{"STYLE", waste_page_css_file},     {"MODEL", waste_page_model_file}, {"LIST", waste_page_list_file},
                 {"DETAIL", waste_page_detail_file}, {"VIEWS", waste_page_views_file}, {"APP", waste_page_app_file}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strlen(files[i].mark) == length && memcmp(files[i].mark, mark, length) == 0) {
            fputs(files[i].text, out);
            return 0;
        }
    if (length == 5 && memcmp(mark, "TITLE", length) == 0)
        return waste_page_write_title(out, contents->waste) ? 0 : ENOMEM;
    if (length == 6 && memcmp(mark, "STATIC", length) == 0)
        return waste_page_write_static(out, contents) ? 0 : ENOMEM;
    if (length == 4 && memcmp(mark, "DATA", length) == 0)
        return waste_page_write_data(out, contents);
    return EINVAL;
}

/* --- the file --- */

/* The bytes in `path` itself if it is a device or the like, else in a new file that replaces it. 0 or an errno value.
 */
static int waste_page_write_file_at(const char *path, const char *bytes, size_t length)
{
    struct replacement file;
    int error = replace_open(&file, path);
    if (error)
        return error;
    return replace_close(&file, fwrite(bytes, 1, length, file.out) == length ? 0 : errno);
}

/* 0 or an errno value. */
static int waste_page_write_contents(const char *path, const struct waste_page_contents *contents)
{
    char *bytes = NULL;
    size_t length = 0;
    FILE *out = text_stream_open(&bytes, &length);
    int error = out ? html_write_page(out, waste_page_html_file, waste_page_write_mark, contents) : ENOMEM;
    if (!text_stream_close(out, &bytes))
        error = ENOMEM;
    if (!error)
        error = waste_page_write_file_at(path, bytes, length);
    free(bytes);
    return error;
}

int waste_page_write(const struct waste_page_request *request, const struct waste_request *asked, struct waste *waste,
                     struct report *report)
{
    if (!request->path && request->folder_count > 0)
        report_warn(report, "--sources has an effect only with --html FILE");
    if (!request->path)
        return 0;
    if (asked->by || asked->threads)
        report_warn(report, "%s: the page shows all inputs together, without --by and --threads", request->path);
    if (waste_count(waste, WASTE_PAIR_ROWS) == 0 && waste_count(waste, WASTE_TOTAL_ROWS) == 0) {
        report_warn(report, "%s: the page is not written, since there are no memory accesses", request->path);
        report->no_result = true;
        return 0;
    }
    struct report page = {.options = report->options, .warnings = json_array(), .notes = json_array()};
    struct waste_page_contents contents = {.request = request, .asked = asked, .waste = waste, .report = &page};
    int error = waste_page_gather(&contents, report);
    if (!error &&
        (page.no_memory || report->no_memory || json_memory_has_failed() || table_failed(contents.kinds_table)))
        error = ENOMEM;
    if (!error)
        error = waste_page_write_contents(request->path, &contents);
    if (error && error != ENOMEM) {
        report_warn(report, "%s: %s", request->path, strerror(error));
        report->no_result = true;
        error = 0;
    }
    waste_page_free(&contents);
    waste_page_add_texts(report->warnings, page.warnings, SIZE_MAX);
    report_free(&page);
    return error;
}
