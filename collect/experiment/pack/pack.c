#include "collect/experiment/pack/pack.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "base/replace.h"
#include "base/text_stream.h"
#include "collect/experiment/page/page.h"
#include "collect/experiment/state/digest.h"
#include "collect/experiment/state/estimate.h"
#include "collect/record/log.h"

/* 1 January 1980, the first day of a ZIP archive. */
enum { PACK_DATE = 1 << 5 | 1, PACK_MODE = 0100644 };

static int pack_compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The files below the data directory that belong into the archive. */
static void pack_add_recordings(struct obstack *memory, const char *data, struct words *files)
{
    char *const paths[] = {memory_print(memory, "%s", data), NULL};
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    FTSENT *entry;
    while (walk && (entry = fts_read(walk))) {
        static const char *const made_anew[] = {"warmup", "runs", "pages"};
        bool left_out = false;
        for (size_t i = 0; i < sizeof made_anew / sizeof *made_anew; i++)
            left_out |= entry->fts_level == 1 && strcmp(entry->fts_name, made_anew[i]) == 0;
        if (entry->fts_info == FTS_D && left_out)
            fts_set(walk, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_F && *entry->fts_name != '.')
            words_add(memory, files, memory_print(memory, "%s", entry->fts_path));
    }
    if (walk)
        fts_close(walk);
}

static void pack_list_files(struct experiment *experiment, const struct steps *steps, struct words *files)
{
    struct obstack *memory = &experiment->memory;
    const char *path = experiment->spec.path, *slash = strrchr(path, '/'), *directory = experiment->spec.directory;
    bool has_values = false;
    words_add(memory, files, slash ? slash + 1 : path);
    for (size_t i = 0; i < steps->count; i++)
        if (steps->list[i].result->kind == SPEC_VALUE)
            has_values = true;
        else
            words_add(memory, files, steps->list[i].name);
    for (size_t i = 0; i < steps->count; i++)
        if (steps_graphics(memory, &steps->list[i]))
            words_add(memory, files, steps_graphics(memory, &steps->list[i]));
    for (int latex = 0; latex < 2 && has_values; latex++)
        words_add(memory, files,
                  memory_print(memory, "%s%svalues.%s", directory, *directory ? "/" : "", latex ? "tex" : "json"));
    if (experiment->spec.has_results)
        words_add(memory, files, page_path(memory, &experiment->spec));
    if (experiment->spec.has_results && access(page_pdf_path(memory, &experiment->spec), F_OK) == 0)
        words_add(memory, files, page_pdf_path(memory, &experiment->spec));
    for (size_t i = 0; i < steps->count; i++)
        for (size_t f = 0; f < steps->list[i].file_count; f++)
            if (steps->list[i].files[f].source == SIZE_MAX)
                words_add(memory, files, steps->list[i].files[f].path);
    pack_add_recordings(memory, experiment->spec.data, files);
    qsort(files->list, files->count, sizeof *files->list, pack_compare_names);
    size_t distinct = 0;
    for (size_t i = 0; i < files->count; i++)
        if (distinct == 0 || strcmp(files->list[distinct - 1], files->list[i]) != 0)
            files->list[distinct++] = files->list[i];
    files->count = distinct;
}

/* Traces are compressed already. Frees the source if it can't be added. */
static int pack_add_source(zip_t *archive, const char *name, zip_source_t *source)
{
    if (!source)
        return ENOMEM;
    zip_int64_t index = zip_file_add(archive, name, source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return EINVAL;
    }
    size_t length = strlen(name);
    bool is_trace = length > 6 && strcmp(name + length - 6, ".trace") == 0;
    zip_uint64_t number = (zip_uint64_t)index;
    if (zip_file_set_dostime(archive, number, 0, PACK_DATE, 0) != 0 ||
        zip_file_set_external_attributes(archive, number, 0, ZIP_OPSYS_UNIX, (zip_uint32_t)PACK_MODE << 16) != 0 ||
        zip_set_file_compression(archive, number, is_trace ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 0) != 0)
        return EINVAL;
    return 0;
}

/* All files, and their digests. */
static int pack_add_files(struct obstack *memory, zip_t *archive, const char *stem, const struct words *files,
                          struct error_text *message)
{
    char digest[DIGEST_TEXT], *sums = NULL;
    size_t size = 0;
    FILE *out = text_stream_open(&sums, &size);
    int error = out ? 0 : ENOMEM;
    const char *path = "SHA256SUMS";
    for (size_t i = 0; i < files->count && !error; i++) {
        path = files->list[i];
        error = digest_file(path, digest);
        if (!error)
            error = pack_add_source(archive, memory_print(memory, "%s/%s", stem, path),
                                    zip_source_file(archive, path, 0, -1));
        fprintf(out, "%s  %s\n", digest, path);
    }
    if (!text_stream_close(out, &sums) && !error)
        error = ENOMEM;
    /* zip_close() reads it, so it lives as long as `memory`. */
    const char *text = sums ? memory_copy(memory, sums, size) : "";
    free(sums);
    if (!error)
        error = pack_add_source(archive, memory_print(memory, "%s/SHA256SUMS", stem),
                                zip_source_buffer(archive, text, size, 0));
    return error ? error_set(message, STATUS_BAD, "%.400s: %s", path, strerror(error)) : STATUS_GOOD;
}

static int pack_write_archive(struct obstack *memory, const char *fresh, const char *stem, const struct words *files,
                              struct error_text *message)
{
    int code;
    zip_t *archive = zip_open(fresh, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (!archive) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        error_set(message, STATUS_BAD, "%.400s: %.200s", fresh, zip_error_strerror(&error));
        zip_error_fini(&error);
        return STATUS_BAD;
    }
    if (pack_add_files(memory, archive, stem, files, message) != 0) {
        zip_discard(archive);
        return STATUS_BAD;
    }
    if (zip_close(archive) != 0) {
        error_set(message, STATUS_BAD, "%.400s: %.200s", fresh, zip_strerror(archive));
        zip_discard(archive);
        return STATUS_BAD;
    }
    return STATUS_GOOD;
}

int pack_write(struct experiment *experiment, const struct steps *steps)
{
    struct obstack *memory = &experiment->memory;
    struct words files = {0};
    struct error_text message;
    struct stat written;
    char bytes[ESTIMATE_TEXT];
    const char *path = experiment->spec.path, *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const char *stem = memory_copy(memory, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    const char *output = experiment->output ? experiment->output : memory_print(memory, "%s.zip", stem);
    pack_list_files(experiment, steps, &files);
    char *fresh = replace_name(output);
    int status = fresh ? pack_write_archive(memory, fresh, stem, &files, &message)
                       : error_set(&message, STATUS_BAD, "%s", strerror(ENOMEM));
    int error = fresh ? replace_end(fresh, output, status ? EINVAL : 0) : 0;
    free(fresh);
    if (!status && error)
        status = error_set(&message, STATUS_BAD, "%.400s: %s", output, strerror(error));
    if (status)
        log_error("%s", message.text);
    else
        log_note("%s: %zu files, %s", output, files.count + 1,
                 stat(output, &written) == 0 ? estimate_bytes_text((double)written.st_size, bytes) : "");
    return status;
}
