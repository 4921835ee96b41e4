#include "collect/experiment/page/fragment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/temporary.h"
#include "base/text_stream.h"
#include "collect/experiment/page/page_parts.h"
#include "collect/experiment/state/digest.h"
#include "collect/experiment/state/file_text.h"
#include "collect/record/directory.h"
#include "collect/record/log.h"

/* Names of the parts in table/write/page/page.html. */
static const char *const fragment_names[FRAGMENT_PARTS] = {
    [FRAGMENT_WARNINGS] = "warnings", [FRAGMENT_RESULT] = "result",   [FRAGMENT_FIGURE] = "figure",
    [FRAGMENT_NOTES] = "notes",       [FRAGMENT_COLUMNS] = "columns", [FRAGMENT_SUMMARY] = "summary",
    [FRAGMENT_VALUES] = "values",     [FRAGMENT_INPUT] = "input"};

/* What stands between two marks, the first of which is looked for from `text` on; "" if there is nothing. */
static const char *fragment_between(struct obstack *memory, const char *text, const char *begin, const char *end)
{
    const char *from = strstr(text, begin), *to = from ? strstr(from + strlen(begin), end) : NULL;
    return to ? memory_copy(memory, from + strlen(begin), (size_t)(to - from - (long)strlen(begin))) : "";
}

/* Texts of a page have no '<', so that its marks are unambiguous. */
static void fragment_parse(struct obstack *memory, const char *page, struct fragment *fragment)
{
    const char *header = fragment_between(memory, page, "<header>", "</header>");
    const char *after = strstr(header, "</h1>\n");
    fragment->question = fragment_between(memory, header, "<h1>", "</h1>");
    fragment->about = after && strncmp(after + 6, "<p class", 8) == 0
                          ? fragment_between(memory, after, "<p class=\"quiet\">", "</p>")
                          : "";
    const char *style = strstr(page, "</style>\n<style>\n");
    fragment->alignment = style ? fragment_between(memory, style + 8, "<style>\n", "</style>") : "";
    for (size_t i = 0; i < FRAGMENT_PARTS; i++) {
        const char *mark = memory_print(memory, "<section data-part=\"%s\">\n", fragment_names[i]);
        const char *part = fragment_between(memory, page, mark, "</section>"), *heading = NULL;
        if (strncmp(part, "<h2>", 4) == 0 && (heading = strstr(part, "</h2>\n")))
            part = heading + 6;
        fragment->parts[i] = part;
    }
    for (const char *item = fragment->parts[FRAGMENT_WARNINGS]; (item = strstr(item, "<li>")); item += 4)
        words_add(memory, &fragment->warnings, fragment_between(memory, item, "<li>", "</li>"));
}

/* The stored page, if the result that it is from is still the same. */
static const char *fragment_find(struct experiment *experiment, const json_t *made, const char *path)
{
    char content[DIGEST_TEXT];
    const char *sha256 = json_string_value(json_object_get(made, "page"));
    bool good = sha256 && digest_file(path, content) == 0 && strcmp(content, sha256) == 0;
    return good ? file_text_read_path(&experiment->memory, path) : NULL;
}

static int fragment_store(struct experiment *experiment, json_t *made, const char *path, const char *page,
                          struct error_text *message)
{
    char content[DIGEST_TEXT];
    const char *directory = memory_print(&experiment->memory, "%s/pages", experiment->spec.data);
    int error = directory_make(directory);
    int status = error ? error_set(message, STATUS_BAD, "%.400s: %s", directory, strerror(error))
                       : file_text_replace(&experiment->memory, path, page, strlen(page), NULL, message);
    if (!status && digest_file(path, content) == 0)
        json_object_set_new(made, "page", json_string(content));
    return status;
}

/* A figure of assay plot, which has no page, with the warnings that it printed. */
static const char *fragment_of_plot(struct obstack *memory, const char *svg, const char *warnings)
{
    static const char *const left_out[][2] = {{"<title>", "</title>"}, {"<desc>", "</desc>"}};
    const char *root = strstr(svg, "<svg"), *width = root ? strstr(root, "width=\"") : NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = root ? text_stream_open(&text, &size) : NULL;
    if (!out)
        return NULL;
    fputs("<section data-part=\"warnings\">\n", out);
    for (const char *line = warnings; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        fputs("<li>", out);
        page_escape(out, memory_copy(memory, line, strcspn(line, "\n")));
        fputs("</li>\n", out);
    }
    /* As in a table's page: larger than in print, and without what a browser would show as tooltips. */
    fprintf(out,
            "</section>\n<section data-part=\"figure\">\n<figure>\n<svg role=\"img\" aria-label=\"Figure\" "
            "style=\"max-width: %.0fpx\"",
            1.5 * (width ? strtod(width + strlen("width=\""), NULL) : 0));
    for (const char *at = root + strlen("<svg"), *end; *at;) {
        end = NULL;
        for (size_t i = 0; i < 2 && !end; i++)
            if (strncmp(at, left_out[i][0], strlen(left_out[i][0])) == 0 && (end = strstr(at, left_out[i][1])))
                at = end + strlen(left_out[i][1]);
        if (!end)
            putc(*at++, out);
    }
    fputs("</figure>\n</section>\n</html>\n", out);
    if (!text_stream_close(out, &text))
        obstack_alloc_failed_handler();
    const char *page = memory_copy(memory, text, size);
    free(text);
    return page;
}

/* What the program prints as a page of parts. Without one, as for audits, all that it prints is in *printed; if that is
 * NULL, it could not be run, and there is a message. */
static const char *fragment_run(struct experiment *experiment, const struct step *step,
                                const struct report_outcome *outcome, const char **printed, struct error_text *message)
{
    const char *errors = "";
    int page = temporary_file(), status;
    *printed = NULL;
    if (page < 0) {
        error_set(message, STATUS_BAD, "a temporary file: %s", strerror(errno));
        return NULL;
    }
    bool is_plot = strcmp(step->line.list[0], "plot") == 0, is_audit = steps_is_audit(step);
    if (is_plot)
        status = report_run_program(experiment, step, (const char *const[]){"--output=-", NULL}, &outcome->inputs, page,
                                    &errors, message);
    else
        status = report_print(experiment, step, is_audit ? "text" : "html", &outcome->inputs, page, &errors, message);
    const char *text = file_text_read(&experiment->memory, page);
    if (!text)
        error_set(message, STATUS_BAD, "what it prints can't be read: %s", strerror(errno));
    close(page);
    if (!text || (status && !*errors)) /* it says why it has no page; if not, it did not run */
        return NULL;
    if (is_plot)
        text = fragment_of_plot(&experiment->memory, text, errors);
    bool has_parts = text && strstr(text, "</html>");
    *printed = has_parts ? "" : is_audit && *text ? text : errors;
    return has_parts ? text : NULL;
}

/* The result's file, if it is a text, or what the program says about it. */
static const char *fragment_plain(struct experiment *experiment, const struct step *step,
                                  const struct report_outcome *outcome, const char *printed)
{
    const char *suffix = strrchr(step->name, '.');
    bool is_page = suffix && strcmp(suffix, ".html") == 0;
    const char *text = outcome->error         ? outcome->error
                       : steps_is_audit(step) ? printed
                       : step->result->kind == SPEC_TABLE && !is_page
                           ? file_text_read_path(&experiment->memory, step->name)
                       : is_page ? "A page of its own; its link is above."
                                 : NULL;
    return text ? text : printed;
}

bool fragment_read(struct experiment *experiment, const struct step *step, const struct report_outcome *outcome,
                   struct fragment *fragment, struct error_text *message)
{
    struct obstack *memory = &experiment->memory;
    struct error_text problem;
    struct sha256_ctx digest;
    char name[DIGEST_TEXT];
    const char *id = report_id(experiment, step), *printed = "";
    json_t *made = json_object_get(experiment->state.made, id);
    *fragment = (struct fragment){.question = "", .about = "", .alignment = ""};
    for (size_t i = 0; i < FRAGMENT_PARTS; i++)
        fragment->parts[i] = "";
    sha256_init(&digest);
    digest_add(&digest, id);
    digest_finish(&digest, name);
    const char *path = memory_print(memory, "%s/pages/%s.html", experiment->spec.data, name);
    const char *page = outcome->error ? NULL : fragment_find(experiment, made, path);
    if (!page && outcome->inputs.paths.count > 0) {
        page = fragment_run(experiment, step, outcome, &printed, message);
        if (page && made && !outcome->error && fragment_store(experiment, made, path, page, &problem) != 0)
            log_error("%s", problem.text);
    }
    if (page)
        fragment_parse(memory, page, fragment);
    if (!page || outcome->error)
        fragment->printed = fragment_plain(experiment, step, outcome, printed ? printed : "");
    return printed != NULL;
}
