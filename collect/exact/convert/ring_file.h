/* ring_file.h - the reader's side of the ring of mode memory (collect/exact/tool/state/raw.h). */
#ifndef ASSAY_EXACT_CONVERT_RING_FILE_H
#define ASSAY_EXACT_CONVERT_RING_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/exact/tool/state/raw.h"

struct ring_file {
    struct raw_ring *ring; /* mapped; NULL: not open */
    int fd;
    size_t bytes;                     /* mapped; the file may yet grow up to that */
    uint32_t segments, segment_words; /* as when it was opened */
};

/* 0; EAGAIN: the tool has not completed it yet; EILSEQ: it is not a ring; or an errno value (ENOENT: there is none).
 */
int ring_file_open(const char *path, struct ring_file *file);
void ring_file_close(struct ring_file *file);

/* The next segment that is filled but not drained; NULL: none. */
const uint64_t *ring_file_segment(const struct ring_file *file);

/* Marks it as free to be filled again. */
void ring_file_drain(struct ring_file *file);

/* The partly filled segment of a process that has ended; NULL: it was not begun. */
const uint64_t *ring_file_rest(const struct ring_file *file);

/* Lets the tool know that nobody reads any more. */
void ring_file_refuse(struct ring_file *file);

#endif
