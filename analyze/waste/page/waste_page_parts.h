/*
 * waste_page_parts.h - internal to the page: what its files share. Functions write to `out`, whose error the caller
 * asks for at the end.
 */
#ifndef ASSAY_WASTE_PAGE_WASTE_PAGE_PARTS_H
#define ASSAY_WASTE_PAGE_WASTE_PAGE_PARTS_H

#include <stdio.h>
#include <sys/stat.h>

#include "analyze/waste/page/waste_page.h"

/* --- waste_page_text.c --- */

/* A JSON string that may stand within a script element: text_json() of the bytes, with '<' and all that ends a line
 * escaped. False without memory. */
bool waste_page_json(FILE *out, const char *text, size_t length);
bool waste_page_write_string(FILE *out, const char *text);
/* A number, or null for NaN. */
void waste_page_real(FILE *out, double value);

/* The integers or reals of rows as arrays: {"name":[1,2],"other":[3,4]}. */
enum waste_page_type { PAGE_NUMBER, PAGE_COUNT, PAGE_REAL }; /* uint32_t, FIELD_NONE as −1; uint64_t; double */
struct waste_page_column {
    const char *name;
    enum waste_page_type type;
    size_t offset; /* in a row */
};
/* order[count]: numbers of rows; NULL: all rows as they are. */
void waste_page_columns(FILE *out, const struct keyed *rows, const uint32_t *order, size_t count,
                        const struct waste_page_column *columns, size_t column_count);

/* --- waste_page_frames.c --- */

/* The frames and files of the page, numbered from 0. */
struct waste_page_frames {
    uint32_t *texts;    /* [count]: of each frame */
    uint32_t *numbers;  /* [text]: the number of the frame; FIELD_NONE: no frame */
    uint32_t *file_of;  /* [count]: number of the source file, or FIELD_NONE */
    uint32_t *code_of;  /* [count]: number of the file with the code at the frame's address, or FIELD_NONE */
    uint64_t *position; /* [count]: line, or address; 0: neither */
    bool *innermost;    /* [count]: of an access or sample, so that its address is that of an instruction */
    size_t count;
    struct keyed files; /* struct waste_page_file */
    struct keyed codes; /* struct waste_page_code */
};
struct waste_page_file {
    uint32_t name;  /* text, the key */
    uint64_t bytes; /* wasted in its lines */
};
struct waste_page_code {
    uint32_t path, build_id; /* texts, the key */
};
/* 0 or ENOMEM; to be freed in either case. `ranking` says what lines have wasted. */
int waste_page_find_frames(const struct waste *waste, const struct waste_ranking *ranking,
                           struct waste_page_frames *frames);
void waste_page_free_frames(struct waste_page_frames *frames);

/* --- waste_page_search.c --- */

/* The files below some folders, by name. */
struct waste_page_index {
    char **paths; /* [count]: by the name of the file, then bytewise */
    size_t count, capacity;
    bool full; /* there are more files than are searched */
};
/* 0 or ENOMEM; to be freed in either case. Hidden folders are left out, and links below
 * the folders are not followed. */
int waste_page_index(const struct waste_page_request *request, struct report *report, struct waste_page_index *index);
void waste_page_free_index(struct waste_page_index *index);
/* The file of this name, or the one below the folders whose path has most trailing components in common with it; the
 * shortest and then the bytewise first of several, and *alike is their number. NULL: there is none. */
const char *waste_page_search(const struct waste_page_index *index, const char *name, size_t *alike);

/* Opens a regular file for reading, with its status. −1 with errno, EINVAL if it is not a regular file. A path from a
 * trace may lead to a device or a FIFO, which is not opened, because that alone can have an effect. */
int waste_page_open(const char *path, struct stat *status);

/* --- waste_page_sources.c --- */

/* "sources":[…],"missing":[…]: the contents of the files that frames name, and which could not be shown. 0 or ENOMEM.
 */
int waste_page_write_sources(FILE *out, const struct waste_page_request *request, const struct waste *waste,
                             const struct waste_page_frames *frames, struct report *report);

/* --- waste_page_code.c --- */

/* "codes":[…],"instructions":[…]: files with machine code, and the instruction at the address of each innermost frame,
 * or 0 if the file is not there as it was recorded. 0 or ENOMEM. */
int waste_page_write_code(FILE *out, const struct waste *waste, const struct waste_page_frames *frames);

/* --- waste_page_data.c --- */

/* What the page shows. */
struct waste_page_contents {
    const struct waste_page_request *request;
    const struct waste_request *asked;
    struct waste *waste;
    struct report *report;      /* of the page */
    struct waste_groups groups; /* one: of all runs */
    struct waste_kinds kinds;
    struct table *kinds_table;
    struct waste_ranking ranking;
    struct waste_page_frames frames;
};
/* All of it as one JSON object. 0 or ENOMEM. */
int waste_page_write_data(FILE *out, const struct waste_page_contents *contents);

/* --- waste_page_words.c --- */

/* "inefficiencies":[[name,remedy]…],"function_words":[…],"line_words":[…]: for the first 500 functions and lines
 * by rank that wasted anything, 0 or [inefficiency, evidence, second]. 0 or ENOMEM. */
int waste_page_write_words(FILE *out, const struct waste_page_contents *contents);

/* --- waste_page_static.c --- */

/* What a browser shows without scripts: the overview, and the first functions and lines, as tables. */
bool waste_page_write_static(FILE *out, const struct waste_page_contents *contents);

#endif
