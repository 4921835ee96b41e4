/* raw_file.h - the records of a raw file (collect/exact/tool/state/raw.h), one after the other. */
#ifndef ASSAY_EXACT_CONVERT_RAW_FILE_H
#define ASSAY_EXACT_CONVERT_RAW_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "collect/exact/tool/state/raw.h"

struct raw_file {
    const uint8_t *bytes; /* mapped; NULL for an empty file */
    uint64_t size;
    uint64_t let_go; /* pages before this were released */
};

struct raw_record {
    uint32_t type, bytes;
    const void *payload; /* aligned to 8 bytes */
};

enum raw_step {
    STEP_RECORD,
    STEP_END,    /* the file ends here */
    STEP_CUT,    /* the file ends within a record */
    STEP_DAMAGED /* no record can begin so */
};

/* 0 or an errno value. Nobody may write to the file any more. */
int raw_file_open(const char *path, struct raw_file *file);
void raw_file_close(struct raw_file *file);

/* Reads the record at *at, and advances *at past it; unless it is a STEP_RECORD, both are unchanged. */
enum raw_step raw_file_next(const struct raw_file *file, uint64_t *at, struct raw_record *record);

/* What lies before `at` is no longer read: releases its memory. */
void raw_file_release(struct raw_file *file, uint64_t at);

/* A text of `bytes` bytes at `offset` in the payload, terminated by NUL; NULL if it is not. */
const char *raw_file_text(const struct raw_record *record, size_t offset, size_t bytes);

#endif
