/*
 * page_pdf.c - report.pdf, by LaTeX where it is installed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text_stream.h"
#include "collect/experiment/page/page_parts.h"
#include "collect/experiment/state/digest.h"
#include "collect/experiment/state/file_text.h"
#include "collect/record/directory.h"
#include "collect/record/log.h"
#include "collect/record/start/target.h"

/* The key of the report in results.json, which no result has. */
static const char pdf_id[] = "the report as PDF";

/* The LaTeX that is installed; NULL and an errno value: none, or this is not known. */
static const char *pdf_find_latex(int *error)
{
    static const char *const names[] = {"pdflatex", "lualatex"};
    char path[RECORD_PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *error = target_in_path(names[i], path);
        if (*error == 0)
            return names[i];
        if (*error != ENOENT && *error != EACCES)
            return NULL;
    }
    return NULL;
}

/* The program and the page, from which everything in the report follows. */
static int pdf_key(struct experiment *experiment, const char *html, char key[DIGEST_TEXT])
{
    struct sha256_ctx digest;
    char content[DIGEST_TEXT];
    int error = digest_file(start_program(&experiment->memory, "experiment"), content);
    sha256_init(&digest);
    digest_add(&digest, content);
    digest_add(&digest, html);
    digest_finish(&digest, key);
    return error;
}

/* Whether the file is the one that was made with this key. */
static bool pdf_is_made(struct experiment *experiment, const char *path, const char *key)
{
    const json_t *made = json_object_get(experiment->state.made, pdf_id);
    const char *before = json_string_value(json_object_get(made, "key"));
    const char *sha256 = json_string_value(json_object_get(made, "sha256"));
    char content[DIGEST_TEXT];
    return before && sha256 && strcmp(before, key) == 0 && digest_file(path, content) == 0 &&
           strcmp(content, sha256) == 0;
}

/* Runs LaTeX in DATA/pages. It writes nowhere else, and executes nothing. */
static int pdf_run_latex(struct experiment *experiment, const char *latex, const char *directory,
                         struct error_text *message)
{
    static const char *const options[] = {"-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error",
                                          "report.tex"};
    const char *names[] = {"SOURCE_DATE_EPOCH", "FORCE_SOURCE_DATE", "openout_any"};
    const char *values[] = {"315532800", "1", "p"};
    const struct spec_environment environment = {names, values, sizeof names / sizeof *names};
    struct obstack *memory = &experiment->memory;
    struct launch_result result;
    struct words words = {0};
    words_add(memory, &words, latex);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        words_add(memory, &words, options[i]);
    FILE *output = tmpfile();
    if (!output)
        return error_set(message, STATUS_BAD, "a temporary file: %s", strerror(errno));
    const struct start_job job = {.command = &words,
                                  .environment = &environment,
                                  .directory = directory,
                                  .output = fileno(output),
                                  .errors = fileno(output)};
    int status = start_run(memory, &experiment->launcher, &job, &result, message);
    if (!status && start_status(&result) != 0) {
        const char *text = file_text_read(memory, fileno(output)), *error = text ? strstr(text, "\n!") : NULL;
        error = error ? error + 1 : "it failed";
        status = error_set(message, STATUS_BAD, "%s: %.*s; see %.300s/report.log", latex, (int)strcspn(error, "\n"),
                           error, directory);
    }
    fclose(output);
    return status;
}

static int pdf_make(const struct page *page, const char *latex, const char *path, const char *key,
                    struct error_text *message)
{
    struct experiment *experiment = page->experiment;
    struct obstack *memory = &experiment->memory;
    const char *directory = memory_print(memory, "%s/pages", experiment->spec.data);
    char *text = NULL, content[DIGEST_TEXT];
    size_t size = 0;
    int error = directory_make(directory);
    if (error)
        return error_set(message, STATUS_BAD, "%.400s: %s", directory, strerror(error));
    FILE *out = text_stream_open(&text, &size);
    if (!out)
        obstack_alloc_failed_handler();
    page_write_document(out, page);
    if (!text_stream_close(out, &text))
        obstack_alloc_failed_handler();
    if (*page->failure->text) {
        free(text);
        *message = *page->failure;
        return STATUS_BAD;
    }
    int status = file_text_replace(memory, memory_print(memory, "%s/report.tex", directory), text, size, NULL, message);
    free(text);
    if (!status)
        status = pdf_run_latex(experiment, latex, directory, message);
    const char *fresh = memory_print(memory, "%s/report.pdf", directory);
    if (!status && rename(fresh, path) != 0)
        status = error_set(message, STATUS_BAD, "%.400s: %s", path, strerror(errno));
    if (!status && digest_file(path, content) == 0) {
        json_object_set_new(experiment->state.made, pdf_id, json_pack("{s:s, s:s}", "key", key, "sha256", content));
        status = state_save_made(&experiment->state, message);
    }
    return status;
}

int page_make_pdf(const struct page *page, const char *html)
{
    struct experiment *experiment = page->experiment;
    struct error_text message;
    char key[DIGEST_TEXT];
    const char *path = page_pdf_path(&experiment->memory, &experiment->spec);
    int error = pdf_key(experiment, html, key), no_latex;
    if (!error && pdf_is_made(experiment, path, key))
        return STATUS_GOOD;
    if (access(path, F_OK) == 0 && !page->is_replaced) {
        log_error("%s: not made: it is not the report of this experiment; remove it, or choose another directory of "
                  "results",
                  path);
        return STATUS_GOOD;
    }
    unlink(path); /* one of other data is worse than none */
    const char *latex = pdf_find_latex(&no_latex);
    if (!latex && (no_latex == ENOENT || no_latex == EACCES)) {
        log_note("%s: not made: neither pdflatex nor lualatex is installed (Debian: apt-get install "
                 "texlive-latex-recommended lmodern); report.html has everything",
                 path);
        return STATUS_GOOD;
    }
    int status = error    ? error_set(&message, STATUS_BAD, "assay-experiment: %s", strerror(error))
                 : !latex ? error_set(&message, STATUS_BAD, "pdflatex: %s", strerror(no_latex))
                          : pdf_make(page, latex, path, key, &message);
    if (experiment->launcher.interrupted_by)
        return 128 + experiment->launcher.interrupted_by;
    if (status)
        log_error("%s: not made: %s", path, message.text);
    else
        log_note("%s: written", path);
    return status;
}
