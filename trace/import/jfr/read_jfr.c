/*
 * JDK Flight Recorder, versions 1.0 to 2.x: chunks, each with metadata, constant pools and events of its own. Each type
 * of samples is a profile. Source: see jfr.h.
 *
 * Three sources walk through a chunk, one after the other: the first goes to the metadata, the second looks for the
 * pools, which come after their uses, the third reads the samples. So memory holds only the pools of one chunk. A
 * fourth is ahead of them, and sees where a chunk ends.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/import/jfr/jfr_samples.h"

enum { METADATA = 0, CHECKPOINT = 1 };

struct jfr {
    struct reading *reading;
    struct source *ahead, *metadata, *constants, *samples;
    struct jfr_chunk chunk;
    struct jfr_types types;
    struct jfr_pools pools;
    struct jfr_samples taken;
    bool of_jvm;       /* a chunk that a JVM's own recorder wrote */
    char recorder[64]; /* of the chunk */
    bool mixed;        /* an earlier one had another */
    uint64_t chunks, damaged, lost_bytes;
};

/* ------------------------------------------------------------------------------------------ walking -- */

/* The next event of the chunk, its body only if `wants` says so: 1; 0 at the end of the chunk; -1 with a message. */
static int jfr_next_event(const struct jfr *jfr, struct source *source,
                          bool (*wants)(const struct jfr *, uint64_t type), struct jfr_event *event,
                          struct error_text *message)
{
    size_t got;
    event->at = source_offset(source);
    if (event->at >= jfr->chunk.end)
        return 0;
    const unsigned char *bytes = source_peek(source, 32, &got);
    if (!bytes && jfr->chunk.end == UINT64_MAX)
        return 0;
    struct jfr_cursor head = {bytes, bytes ? bytes + got : bytes, 0, false};
    event->size = jfr_read_number(&head);
    event->type = jfr_read_number(&head);
    size_t length = bytes && !head.bad ? (size_t)(head.at - bytes) : 0;
    if (length == 0 || event->size < length || event->size > jfr->chunk.end - event->at) {
        error_set(message, STATUS_BAD,
                  bytes ? "byte %" PRIu64 ": an event with an impossible size"
                        : "byte %" PRIu64 ": the file ends within a chunk",
                  event->at);
        return -1;
    }
    bool wanted = wants(jfr, event->type);
    if (wanted && event->size <= SOURCE_PEEK_MAX) {
        bytes = source_peek(source, (size_t)event->size, &got);
        event->body = (struct jfr_cursor){bytes + length, bytes + (got < event->size ? got : event->size), 0, false};
    }
    if ((wanted && event->size > SOURCE_PEEK_MAX) || !source_skip(source, event->size)) {
        error_set(message, STATUS_BAD, "byte %" PRIu64 ": the file ends within an event of %" PRIu64 " bytes",
                  event->at, event->size);
        return -1;
    }
    return 1;
}

/* Whether the chunk declares a type of events whose name begins like this. Recorders other than the JVM's do not
 * declare types that they never write. */
static bool jfr_declares_type(const struct jfr *jfr, const char *name)
{
    for (size_t i = 0; i < jfr->types.class_capacity; i++)
        if (jfr->types.classes[i].name &&
            strncmp(jfr_class_name(&jfr->types, &jfr->types.classes[i]), name, strlen(name)) == 0)
            return true;
    return false;
}

static bool jfr_is_recording(const struct jfr *jfr, uint64_t id)
{
    const struct jfr_class *class = jfr_find_class(&jfr->types, id);
    return class && strcmp(jfr_class_name(&jfr->types, class), "jdk.ActiveRecording") == 0;
}

/* ------------------------------------------------------------------------------------------ chunks -- */

static bool jfr_wants_metadata(const struct jfr *jfr, uint64_t type)
{
    (void)jfr;
    return type == METADATA;
}

static bool jfr_wants_checkpoints(const struct jfr *jfr, uint64_t type)
{
    return type == CHECKPOINT || jfr_is_recording(jfr, type);
}

/* Start time, duration and id, then the texts. */
static bool jfr_read_metadata(struct jfr *jfr, struct jfr_event *event)
{
    for (int i = 0; i < 3; i++)
        jfr_read_number(&event->body);
    return jfr_types_read(&jfr->types, &event->body);
}

/* The metadata where the header says that they are, or else wherever they are in the chunk. */
static int jfr_load_metadata(struct jfr *jfr, struct error_text *message)
{
    struct jfr_event event;
    struct error_text unused = {""};
    const struct jfr_chunk *chunk = &jfr->chunk;
    if (chunk->metadata >= chunk->start + JFR_HEADER_BYTES && chunk->metadata < chunk->available &&
        jfr_move_to(jfr->metadata, chunk->metadata) &&
        jfr_next_event(jfr, jfr->metadata, jfr_wants_metadata, &event, &unused) > 0 && event.type == METADATA) {
        if (jfr_read_metadata(jfr, &event))
            return STATUS_GOOD; /* damage before them does not matter then */
        jfr_types_free(&jfr->types);
    }
    if (!jfr_move_to(jfr->metadata, chunk->start + JFR_HEADER_BYTES))
        return error_set(message, STATUS_BAD, "byte %" PRIu64 ": the file ends within a chunk", chunk->start);
    int more;
    while ((more = jfr_next_event(jfr, jfr->metadata, jfr_wants_metadata, &event, message)) > 0) {
        if (event.type != METADATA)
            continue;
        if (jfr_read_metadata(jfr, &event))
            return STATUS_GOOD;
        return error_set(message, STATUS_BAD, "byte %" PRIu64 ": damaged metadata: their chunk can't be read",
                         event.at);
    }
    return more < 0 ? STATUS_BAD
                    : error_set(message, STATUS_BAD, "chunk at byte %" PRIu64 ": no metadata: the chunk can't be read",
                                chunk->start);
}

/* The constants from here to the end of the chunk, and who recorded it. */
static int jfr_read_pools(struct jfr *jfr, struct error_text *message)
{
    struct jfr_event event;
    int more;
    while ((more = jfr_next_event(jfr, jfr->constants, jfr_wants_checkpoints, &event, message)) > 0)
        if (event.type == CHECKPOINT && !jfr_pools_read(&jfr->pools, &event.body))
            reading_report_bad(jfr->reading, "byte %" PRIu64 ": damaged constants", event.at);
        else if (event.type != CHECKPOINT && jfr_is_recording(jfr, event.type)) {
            /* async-profiler gives the recording its own name; in that of a JVM the user does. */
            struct jfr_wanted wanted[] = {{.name = "name"}};
            char name[sizeof jfr->recorder] = "";
            jfr_read_object(&jfr->types, &event.body, jfr_find_class(&jfr->types, event.type),
                            &(struct jfr_request){.wanted = wanted, .count = 1});
            if (!event.body.bad && wanted[0].text.bytes && !wanted[0].text.pooled)
                jfr_copy_text(&wanted[0].text, name, sizeof name);
            if (strncmp(name, "async-profiler", 14) == 0)
                snprintf(jfr->recorder, sizeof jfr->recorder, "%s", name);
        }
    return more < 0 ? STATUS_BAD : STATUS_GOOD;
}

/* The constants behind `from`, from the last on, to which the header leads, each of which leads to the one before. */
static void jfr_read_linked_pools(struct jfr *jfr, uint64_t from)
{
    enum { STEPS_MAX = 256 }; /* each of them reads the file again */
    struct jfr_event event;
    struct error_text unused = {""};
    uint64_t at = jfr->chunk.constants;
    int64_t step = -1;
    for (int i = 0; i < STEPS_MAX && step < 0 && at > from && at < jfr->chunk.available; i++) {
        if (!jfr_move_to(jfr->constants, at) ||
            jfr_next_event(jfr, jfr->constants, jfr_wants_checkpoints, &event, &unused) <= 0 ||
            event.type != CHECKPOINT)
            return;
        struct jfr_cursor cursor = event.body;
        jfr_read_number(&cursor);
        jfr_read_number(&cursor);
        step = (int64_t)jfr_read_number(&cursor); /* how far before this checkpoint the previous one is */
        if (cursor.bad || step > 0)
            step = 0;
        if (!jfr_pools_read(&jfr->pools, &event.body))
            reading_report_bad(jfr->reading, "byte %" PRIu64 ": damaged constants", event.at);
        at = (uint64_t)-step < at ? at - (uint64_t)-step : 0;
    }
}

static bool jfr_wants_samples(const struct jfr *jfr, uint64_t type)
{
    return jfr_samples_wants(&jfr->taken, type);
}

/* Damage ends a pass over the chunk, but not the following passes: samples before the damage are valid. *end: of what
 * could be read. */
static int jfr_read_chunk(struct jfr *jfr, uint64_t *end, struct error_text *message)
{
    struct error_text first = {""}, next = {""};
    char before[sizeof jfr->recorder];
    *end = jfr->chunk.start;
    memcpy(before, jfr->recorder, sizeof before);
    jfr->recorder[0] = '\0';
    int status = jfr_load_metadata(jfr, &first);
    if (status == STATUS_GOOD) {
        jfr->pools.chunk_types = &jfr->types;
        status = jfr_read_pools(jfr, &first);
        if (status) /* constants behind the damage */
            jfr_read_linked_pools(jfr, source_offset(jfr->constants));
        jfr->taken.full |= jfr->pools.full;
        /* Says who wrote the chunk, before its first sample. */
        if (!jfr->recorder[0])
            snprintf(jfr->recorder, sizeof jfr->recorder, "%s",
                     !jfr_declares_type(jfr, "jdk.NativeMethodSample") && jfr_declares_type(jfr, "profiler.")
                         ? "async-profiler"
                         : "JDK Flight Recorder");
        jfr->of_jvm |= jfr_declares_type(jfr, "jdk.NativeMethodSample") && strncmp(jfr->recorder, "async", 5) != 0;
        jfr->mixed |= *before && strcmp(before, jfr->recorder) != 0;
        sink_set_origin(jfr->reading->sink, "jfr", jfr->recorder, NULL);

        struct jfr_event event;
        struct error_text *damage = status ? &next : &first;
        int more = 0;
        while (!jfr->taken.full && !sink_has_failed(jfr->reading->sink) &&
               (more = jfr_next_event(jfr, jfr->samples, jfr_wants_samples, &event, damage)) > 0)
            jfr_samples_add_event(&jfr->taken, &event);
        int last = more < 0          ? STATUS_BAD
                   : jfr->taken.full ? error_set(damage, STATUS_BAD, "out of memory")
                                     : STATUS_GOOD;
        *end = last ? source_offset(jfr->samples) : jfr->chunk.available;
        status = status ? status : last;
    }
    if (status)
        *message = first;
    jfr_types_free(&jfr->types);
    jfr_pools_free(&jfr->pools);
    return status;
}

/* Reads one chunk after the other, even after a damaged one. The first message counts, with what was lost in all. */
static int jfr_read_chunks(struct jfr *jfr, struct error_text *message)
{
    const struct jfr_chunk *chunk = &jfr->chunk;
    int status = STATUS_GOOD;
    uint64_t at = 0;
    enum jfr_next next;
    struct error_text header = {""};
    while (at != UINT64_MAX && !jfr->taken.full && !sink_has_failed(jfr->reading->sink) &&
           (next = jfr_read_chunk_header(jfr->ahead, at, &jfr->chunk, &header)) != JFR_END) {
        struct error_text own = {""};
        int own_status = STATUS_BAD;
        if (next == JFR_CHUNK) {
            const uint64_t first = chunk->start + JFR_HEADER_BYTES;
            uint64_t end = chunk->start;
            own_status = jfr_move_to(jfr->constants, first) && jfr_move_to(jfr->samples, first)
                             ? jfr_read_chunk(jfr, &end, &own)
                             : error_set(&own, STATUS_BAD, "byte %" PRIu64 ": cannot be read again", chunk->start);
            if (!own_status && chunk->end == UINT64_MAX)
                own_status = error_set(
                    &own, STATUS_BAD,
                    "chunk at byte %" PRIu64 ": its recording was not finished; events may be missing", chunk->start);
            else if (!own_status && chunk->available < chunk->end)
                own_status =
                    error_set(&own, STATUS_BAD, "chunk at byte %" PRIu64 ": the file ends within it", chunk->start);
            if (header.text[0])
                own_status = STATUS_BAD;
            jfr->lost_bytes += end < chunk->available ? chunk->available - end : 0;
        }
        jfr->damaged += own_status != STATUS_GOOD;
        jfr->lost_bytes += next == JFR_LOST ? chunk->end - at : 0;
        jfr->chunks++;
        if (own_status && !status)
            *message = header.text[0] ? header : own;
        status = status ? status : own_status;
        header.text[0] = '\0';
        at = chunk->end;
    }
    if (jfr->lost_bytes > 0)
        error_append(message, "%" PRIu64 " of %" PRIu64 " chunks %s damaged, and %" PRIu64 " bytes of them were lost",
                     jfr->damaged, jfr->chunks, jfr->damaged == 1 ? "is" : "are", jfr->lost_bytes);
    return status;
}

/* ------------------------------------------------------------------------------------------ the whole -- */

/* One pass over the file. *left_out: events that were not taken although no other was. */
static int jfr_read_once(struct reading *reading, bool aside, uint64_t *left_out, struct error_text *message)
{
    struct jfr jfr = {.reading = reading, .ahead = reading->source};
    jfr.taken = (struct jfr_samples){
        .reading = reading, .chunk = &jfr.chunk, .types = &jfr.types, .pools = &jfr.pools, .aside = aside};
    int status = source_open(reading->path, &jfr.metadata, message);
    if (!status)
        status = source_open(reading->path, &jfr.constants, message);
    if (!status)
        status = source_open(reading->path, &jfr.samples, message);
    if (!status)
        status = jfr_read_chunks(&jfr, message);
    *left_out = jfr.taken.taken == 0 && !reading->profile ? jfr_samples_count_left_out(&jfr.taken) : 0;
    if (*left_out == 0)
        jfr_samples_write_notes(&jfr.taken, jfr.of_jvm);
    if (jfr.mixed && *left_out == 0)
        error_append(&reading->note,
                     "its chunks are of more than one recorder; a trace names that of its first sample");
    source_close(jfr.metadata);
    source_close(jfr.constants);
    source_close(jfr.samples);
    stack_free(&jfr.taken.stack);
    return status;
}

/* A recording without samples of execution is read again for its other events. */
static int read_jfr(struct reading *reading, struct error_text *message)
{
    uint64_t left_out;
    sink_set_origin(reading->sink, "jfr", "JDK Flight Recorder", NULL);
    int status = jfr_read_once(reading, false, &left_out, message);
    if (left_out == 0 || sink_has_failed(reading->sink) || !source_rewind(reading->source))
        return status;
    reading->bad = 0;
    reading->first.text[0] = message->text[0] = '\0';
    return jfr_read_once(reading, true, &left_out, message);
}

static bool jfr_recognize(const unsigned char *head, size_t length)
{
    return length >= 4 && memcmp(head, "FLR", 4) == 0;
}

const struct profile_format format_jfr = {"jfr", jfr_recognize, read_jfr};
