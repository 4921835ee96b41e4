/*
 * rows_parts.h - internal to rows_read(): files become parts (rows_cut.c), parts become rows (rows_part.c), and threads
 * do both (rows.c).
 */
#ifndef ASSAY_TABLE_READ_ROWS_PARTS_H
#define ASSAY_TABLE_READ_ROWS_PARTS_H

#include "table/read/rows_pools.h"
#include "table/read/rows_sink.h"
#include "table/read/rows_source.h"

enum {
    ROWS_PART_BYTES = 1 << 20, /* some 5 ms of work */
    ROWS_HEAD_BYTES = 1 << 16, /* bytes that determine a table's format and columns */
    ROWS_LONGEST = 1 << 26     /* row */
};

/* Whole rows of one file. */
struct rows_part {
    const struct rows_table *table; /* NULL if the file could not be opened */
    bool first, last;               /* of the file */
    char *text;                     /* text[length], and ROWS_SLACK bytes; whole rows */
    size_t length, capacity;
    struct rows_fault fault; /* instead of rows: the first row can't be read */
    int status;              /* or the file can't */
    struct error_text message;
};

/* What a part has given. */
struct rows_result {
    const struct rows_table *table;
    bool first, last;
    void *state; /* NULL: no rows */
    uint64_t rows, skipped, blank, rounded, lines;
    struct rows_fault fault;
    struct rows_bad_groups bad;
    int status;
    struct error_text message;
};

/* Text that was read but does not belong to a part yet: it begins a row. */
struct rows_pending {
    char *bytes;
    size_t start, length, capacity;
};

struct rows_reader {
    const struct rows_request *request;
    const char **paths; /* sorted; paths[0 … next−1] have been opened */
    size_t path_count, next;
    size_t part_bytes;
    bool failed;
    struct rows_source *source; /* of the current file; NULL at its end */
    struct rows_pending pending;
    int damage; /* status of the source, and why, to be reported after the rows before it */
    struct error_text damage_message;
    struct rows_table **tables; /* of all files so far */
    size_t table_count;
    bool at_first; /* the next part is its file's first */
    struct rows_columns columns;
    struct rows_pools pools;
};

/* Sorts the paths, and checks that the files exist. To be closed in either case. */
int rows_reader_open(struct rows_reader *reader, const struct rows_request *request, struct error_text *message);
void rows_reader_close(struct rows_reader *reader);

/* The next part, in the caller's struct (start with {0}; its text is reused, and freed by the caller). False at the
 * end, and after a part with a fault or a status. Cuts depend only on the files and part_bytes. */
bool rows_reader_next(struct rows_reader *reader, struct rows_part *part);

/* Passes all rows of a part to the sink, from rows_sink_begin() to rows_sink_end(). Returns the lines of its text. */
uint64_t rows_part_read(const struct rows_part *part, struct rows_sink *sink);

/* A JSON object's own numbers as texts of groups. */
enum { ROWS_NUMBER_TEXT = 32 };

/* Adds the row of a JSON object; rejects other items. `texts`: one per group column. */
bool rows_take_object(struct rows_sink *sink, const json_t *item, uint64_t position, char (*texts)[ROWS_NUMBER_TEXT]);

/* The rows of JSON lines, of an array of objects, and of a harness. */
uint64_t rows_part_json_lines(const struct rows_part *part, struct rows_sink *sink);
void rows_part_json_array(const struct rows_part *part, struct rows_sink *sink);
void rows_part_csv(const struct rows_part *part, struct rows_sink *sink);

#endif
