/*
 * jfr_chunks.h - where the chunks of a recording are. A chunk's header has its size; if nothing that follows it looks
 * like another chunk, the next one is looked for.
 */
#ifndef ASSAY_TRACE_IMPORT_JFR_JFR_CHUNKS_H
#define ASSAY_TRACE_IMPORT_JFR_JFR_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/import/source.h"

enum { JFR_HEADER_BYTES = 68 };

struct jfr_chunk {
    uint64_t start, end;          /* in the file; end: UINT64_MAX if the chunk was not finished */
    uint64_t constants, metadata; /* in the file: the last constants, and the metadata; 0: not known */
    uint64_t start_ns, start_ticks, ticks_per_s;
    uint64_t available; /* end, or that of the file */
};

enum jfr_next { JFR_END, JFR_CHUNK, JFR_LOST /* no chunk, with a message: what is until `end` can't be read */ };

/* The chunk at a position of the file. A message about a chunk that can be read is that its size is wrong. */
enum jfr_next jfr_read_chunk_header(struct source *source, uint64_t at, struct jfr_chunk *chunk,
                                    struct error_text *message);

/* Moves to a position, forward or back. False if the file ends before. */
bool jfr_move_to(struct source *source, uint64_t at);

#endif
