#include "trace/import/jfr/jfr_chunks.h"

#include <inttypes.h>
#include <string.h>

#include "trace/import/jfr/jfr.h"

static const char magic[4] = "FLR";

struct header {
    uint64_t major, minor, size, constants, metadata, start_ns, start_ticks, ticks_per_s;
    bool compressed;
};

static struct header jfr_header_parse(const unsigned char *bytes)
{
    struct jfr_cursor cursor = {bytes + sizeof magic, bytes + JFR_HEADER_BYTES, 0, false};
    struct header header = {0};
    header.major = jfr_read_fixed(&cursor, 2);
    header.minor = jfr_read_fixed(&cursor, 2);
    header.size = jfr_read_fixed(&cursor, 8);
    header.constants = jfr_read_fixed(&cursor, 8);
    header.metadata = jfr_read_fixed(&cursor, 8);
    header.start_ns = jfr_read_fixed(&cursor, 8);
    jfr_read_fixed(&cursor, 8); /* duration */
    header.start_ticks = jfr_read_fixed(&cursor, 8);
    header.ticks_per_s = jfr_read_fixed(&cursor, 8);
    header.compressed = jfr_read_fixed(&cursor, 4) & 1;
    return header;
}

static bool jfr_header_is_damaged(const struct header *header)
{
    return header->ticks_per_s == 0 ||
           (header->size > 0 && (header->size < JFR_HEADER_BYTES || header->size > INT64_MAX));
}

bool jfr_move_to(struct source *source, uint64_t at)
{
    if (source_offset(source) > at && !source_rewind(source))
        return false;
    return source_skip(source, at - source_offset(source));
}

/* The position of the next header from `from` on; false if there is none, and the source is then at the file's end. */
static bool jfr_find_header(struct source *source, uint64_t from, uint64_t *at)
{
    size_t got;
    const unsigned char *bytes;
    if (!jfr_move_to(source, from))
        return false;
    while ((bytes = source_peek(source, JFR_HEADER_BYTES, &got)) && got >= JFR_HEADER_BYTES) {
        const unsigned char *found = memmem(bytes, got, magic, sizeof magic);
        size_t before = found ? (size_t)(found - bytes) : got - sizeof magic + 1;
        if (found && got - before >= JFR_HEADER_BYTES) {
            const struct header header = jfr_header_parse(found);
            if (!jfr_header_is_damaged(&header) && header.major >= 1 && header.major <= 2) {
                *at = source_offset(source) + before;
                return true;
            }
            before++;
        }
        source_skip(source, before);
    }
    source_skip(source, UINT64_MAX);
    return false;
}

/* Sets the end of a chunk by its size, unless no chunk follows there, and one begins before. */
static void jfr_chunk_set_end(struct source *source, const struct header *header, struct jfr_chunk *chunk,
                              struct error_text *message)
{
    uint64_t next = 0;
    chunk->end = chunk->available = header->size ? chunk->start + header->size : UINT64_MAX;
    bool whole = header->size && jfr_move_to(source, chunk->end);
    if (whole) {
        /* The end is right if a chunk begins there, or the file ends. */
        size_t got;
        const unsigned char *bytes = source_peek(source, sizeof magic, &got);
        if (!bytes || (got >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0))
            return;
    }
    bool found = jfr_find_header(source, chunk->start + JFR_HEADER_BYTES, &next);
    bool within = whole && header->metadata < header->size;
    if (!within || (found && next < chunk->end))
        chunk->available = found ? next : source_offset(source);
    if (!header->size && found) {
        chunk->end = next;
        error_set(message, STATUS_BAD,
                  "chunk at byte %" PRIu64 ": its recording was not finished; events may be missing", chunk->start);
    } else if (found && (!within || next < chunk->end)) {
        chunk->end = next;
        error_set(message, STATUS_BAD,
                  "chunk at byte %" PRIu64
                  ": its size is wrong, or its end is missing: another chunk begins at byte %" PRIu64,
                  chunk->start, next);
    }
}

enum jfr_next jfr_read_chunk_header(struct source *source, uint64_t at, struct jfr_chunk *chunk,
                                    struct error_text *message)
{
    size_t got = 0;
    const unsigned char *bytes = jfr_move_to(source, at) ? source_peek(source, JFR_HEADER_BYTES, &got) : NULL;
    if (!bytes)
        return JFR_END;
    *chunk = (struct jfr_chunk){.start = at};
    struct header header = {0};
    bool is_header = got >= JFR_HEADER_BYTES && memcmp(bytes, magic, sizeof magic) == 0;
    if (is_header)
        header = jfr_header_parse(bytes);
    if (!is_header)
        error_set(message, STATUS_BAD, "byte %" PRIu64 ": a chunk begins here that is cut or damaged", at);
    else if (header.major < 1 || header.major > 2)
        error_set(message, STATUS_BAD, "byte %" PRIu64 ": version %" PRIu64 ".%" PRIu64 " of JFR; 1.0 to 2.x are read",
                  at, header.major, header.minor);
    else if (!header.compressed)
        error_set(message, STATUS_BAD,
                  "byte %" PRIu64
                  ": the chunk's integers are not compressed, which is not supported; record with the default",
                  at);
    else if (jfr_header_is_damaged(&header))
        error_set(message, STATUS_BAD, "byte %" PRIu64 ": the header of the chunk is damaged", at);
    if (message->text[0]) {
        bool found = jfr_find_header(source, at + 1, &chunk->end);
        chunk->end = chunk->available = found ? chunk->end : source_offset(source);
        return JFR_LOST;
    }
    chunk->constants = header.constants ? at + header.constants : 0;
    chunk->metadata = header.metadata ? at + header.metadata : 0;
    chunk->start_ns = header.start_ns;
    chunk->start_ticks = header.start_ticks;
    chunk->ticks_per_s = header.ticks_per_s;
    jfr_chunk_set_end(source, &header, chunk, message);
    return JFR_CHUNK;
}
