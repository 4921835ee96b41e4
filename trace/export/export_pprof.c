/*
 * pprof: message Profile, compressed by gzip. Source: google/pprof, proto/profile.proto. Samples and definitions are
 * written as they arise, texts last. A thread's name and id are labels of its samples.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "trace/export/export_format.h"
#include "base/grow.h"

/* ------------------------------------------------------------------------------------------ bytes -- */

static void pprof_append_bytes(struct profile_export *export, struct export_bytes *to, const void *bytes, size_t length)
{
    unsigned char *space = grow(to->bytes, &to->capacity, to->length + length, 1);
    if (!space) {
        export->failed = true;
        return;
    }
    to->bytes = space;
    memcpy(space + to->length, bytes, length);
    to->length += length;
}

static void pprof_append_varint(struct profile_export *export, struct export_bytes *to, uint64_t value)
{
    unsigned char bytes[10];
    size_t length = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[length++] = (unsigned char)(value | 0x80);
    bytes[length++] = (unsigned char)value;
    pprof_append_bytes(export, to, bytes, length);
}

static void pprof_append_number(struct profile_export *export, struct export_bytes *to, unsigned field, uint64_t value)
{
    pprof_append_varint(export, to, field << 3);
    pprof_append_varint(export, to, value);
}

static void pprof_append_part(struct profile_export *export, struct export_bytes *to, unsigned field, const void *bytes,
                              size_t length)
{
    pprof_append_varint(export, to, field << 3 | 2);
    pprof_append_varint(export, to, length);
    pprof_append_bytes(export, to, bytes, length);
}

static void pprof_compress(struct profile_export *export, int flush)
{
    unsigned char out[1 << 14];
    export->gz.next_in = export->message.bytes;
    export->gz.avail_in = (unsigned)export->message.length;
    do {
        export->gz.next_out = out;
        export->gz.avail_out = sizeof out;
        deflate(&export->gz, flush);
        fwrite(out, 1, sizeof out - export->gz.avail_out, export->out);
    } while (export->gz.avail_out == 0);
    export->message.length = 0;
}

/* A field of the profile is complete and may be written. */
static void pprof_compress_full(struct profile_export *export)
{
    if (export->message.length > 1 << 16)
        pprof_compress(export, Z_NO_FLUSH);
}

/* ------------------------------------------------------------------------------------------ definitions -- */

/* Text 0 is "". */
static uint64_t pprof_add_text(struct profile_export *export, const char *text)
{
    uint32_t id = text_set_add(&export->texts, text);
    export->failed |= id == TEXT_SET_FULL;
    return id;
}

static void pprof_write_type(struct profile_export *export, unsigned field, const char *type, const char *unit)
{
    export->part.length = 0;
    pprof_append_number(export, &export->part, 1, pprof_add_text(export, type));
    pprof_append_number(export, &export->part, 2, pprof_add_text(export, unit));
    pprof_append_part(export, &export->message, field, export->part.bytes, export->part.length);
}

/* As pprof calls it. */
static const char *pprof_unit_name(const char *unit)
{
    return strcmp(unit, "samples") == 0 ? "count" : strcmp(unit, "ns") == 0 ? "nanoseconds" : unit;
}

static void pprof_begin(struct profile_export *export)
{
    export->failed |=
        deflateInit2(&export->gz, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK;
    pprof_add_text(export, "");
    const char *type = strcmp(export->unit, "samples") == 0 ? "samples" : export->mode;
    pprof_write_type(export, 1, type, pprof_unit_name(export->unit));
    for (size_t i = 0; i < export->more_count; i++)
        pprof_write_type(export, 1, export->more[i].name, pprof_unit_name(export->more[i].unit));
    if (export->more_count > 0) /* pprof would take the last */
        pprof_append_number(export, &export->message, 14, pprof_add_text(export, type));
    if (export->period_ns > 0) {
        pprof_write_type(export, 11, "cpu", "nanoseconds");
        pprof_append_number(export, &export->message, 12, export->period_ns);
    }
}

static bool pprof_begin_trace(struct profile_export *export)
{
    size_t frames = export->names->frame_count;
    export->cache = calloc(frames, sizeof *export->cache);
    return export->cache != NULL;
}

static uint64_t pprof_write_function(struct profile_export *export, const struct export_name *name)
{
    uint32_t before = export->functions.count;
    uint32_t id = text_set_add_tuple(&export->functions, (const char *const[]){name->name, name->file}, 2);
    export->failed |= id == TEXT_SET_FULL;
    if (id == before) {
        export->part.length = 0;
        pprof_append_number(export, &export->part, 1, id + 1);
        pprof_append_number(export, &export->part, 2, pprof_add_text(export, name->name));
        pprof_append_number(export, &export->part, 3, pprof_add_text(export, name->name));
        pprof_append_number(export, &export->part, 4, pprof_add_text(export, name->file));
        pprof_append_part(export, &export->message, 5, export->part.bytes, export->part.length);
    }
    return id + 1;
}

/* The number of a frame's location, which is defined if it is new. */
static uint64_t pprof_write_location(struct profile_export *export, uint32_t frame)
{
    assert(frame < export->names->frame_count);
    if (export->cache[frame])
        return export->cache[frame];
    uint32_t before = export->frames.count, id = export_add_frame(export, frame);
    export->failed |= id == TEXT_SET_FULL;
    if (id == before) {
        struct export_name name;
        struct export_bytes line = {0};
        char *key = strdup(export->frames.texts[id]);
        if (!key) {
            export->failed = true;
            return 0;
        }
        export_split_key(key, &name);
        uint64_t function = pprof_write_function(export, &name);
        pprof_append_number(export, &line, 1, function);
        pprof_append_number(export, &line, 2, name.line);
        export->part.length = 0;
        pprof_append_number(export, &export->part, 1, id + 1);
        pprof_append_part(export, &export->part, 4, line.bytes, line.length);
        pprof_append_part(export, &export->message, 4, export->part.bytes, export->part.length);
        free(line.bytes);
        free(key);
    }
    export->cache[frame] = id + 1;
    return id + 1;
}

/* ------------------------------------------------------------------------------------------ samples -- */

static void pprof_write_label(struct profile_export *export, struct export_bytes *to, const char *key, const char *text,
                              uint64_t number)
{
    struct export_bytes label = {0};
    pprof_append_number(export, &label, 1, pprof_add_text(export, key));
    pprof_append_number(export, &label, text ? 2 : 3, text ? pprof_add_text(export, text) : number);
    pprof_append_part(export, to, 3, label.bytes, label.length);
    free(label.bytes);
}

static bool pprof_thread(struct profile_export *export, uint64_t total)
{
    (void)total;
    for (uint32_t id = 0; !export->failed && id < export->names->context_count; id++) {
        const uint64_t *more = export->more_counts + id * export->more_count;
        bool any = export->counts[id] > 0;
        for (size_t i = 0; i < export->more_count; i++)
            any |= more[i] > 0;
        if (!any)
            continue;
        struct export_bytes sample = {0};
        for (uint32_t at = id, first = 1; at || first; at = export->names->contexts[at].parent, first = 0)
            pprof_append_number(export, &sample, 1, pprof_write_location(export, export->names->contexts[at].frame));
        pprof_append_number(export, &sample, 2, export->counts[id]);
        for (size_t i = 0; i < export->more_count; i++)
            pprof_append_number(export, &sample, 2, more[i]);
        if (export->tid > 0) {
            pprof_write_label(export, &sample, "thread", export->thread, 0);
            pprof_write_label(export, &sample, "tid", NULL, export->tid);
        }
        pprof_append_part(export, &export->message, 2, sample.bytes, sample.length);
        free(sample.bytes);
        pprof_compress_full(export);
    }
    return !export->failed;
}

static bool pprof_end(struct profile_export *export)
{
    for (uint32_t i = 0; !export->failed && i < export->texts.count; i++) {
        pprof_append_part(export, &export->message, 6, export->texts.texts[i], strlen(export->texts.texts[i]));
        pprof_compress_full(export);
    }
    if (!export->failed)
        pprof_compress(export, Z_FINISH);
    deflateEnd(&export->gz);
    return !export->failed;
}

const struct export_format export_pprof = {.name = "pprof",
                                           .all_weights = true,
                                           .begin_file = pprof_begin,
                                           .begin_trace = pprof_begin_trace,
                                           .thread = pprof_thread,
                                           .end_file = pprof_end};
