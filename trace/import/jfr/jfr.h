/*
 * jfr.h - JDK Flight Recorder: values of a chunk as its metadata describe them. There is no specification; source:
 * OpenJDK, src/jdk.jfr/share/classes/jdk/jfr/internal/consumer (ChunkHeader, MetadataReader, ConstantMap,
 * ParserFactory).
 */
#ifndef ASSAY_TRACE_IMPORT_JFR_JFR_H
#define ASSAY_TRACE_IMPORT_JFR_JFR_H

#include "trace/import/idmap.h"
#include "trace/import/source.h"

/* Bytes in memory. Reading beyond the end sets `bad`, and gives zeros from then on. */
struct jfr_cursor {
    const unsigned char *at, *end;
    unsigned budget; /* of nesting within one value: damaged metadata may nest types endlessly */
    bool bad;
};

uint64_t jfr_read_number(struct jfr_cursor *cursor); /* compressed: 7 bits per byte, 8 in the 9th */
uint64_t jfr_read_fixed(struct jfr_cursor *cursor, size_t bytes);

/* A text: inline bytes, or an id in the pool of texts. */
struct jfr_text {
    const unsigned char *bytes;
    size_t length;
    uint64_t pooled; /* its number + 1; 0: inline */
    bool wide;       /* compressed UTF-16 units, `length` of them */
    bool latin;      /* Latin-1, not UTF-8 */
};
void jfr_read_text(struct jfr_cursor *cursor, struct jfr_text *text);
/* Converts to UTF-8, cut to fit. */
void jfr_copy_text(const struct jfr_text *text, char *out, size_t size);

enum jfr_primitive { JFR_STRUCT, JFR_BYTE, JFR_NUMBER, JFR_FLOAT, JFR_DOUBLE, JFR_STRING };

struct jfr_field {
    uint32_t name; /* offset in texts */
    uint64_t type;
    bool pooled, array;
};
struct jfr_class {
    uint32_t name; /* offset in texts */
    enum jfr_primitive primitive;
    size_t first, count; /* of fields */
};

/* A chunk's metadata. Starts as {0}. */
struct jfr_types {
    struct idmap ids;
    struct jfr_class *classes; /* [index of the id] */
    struct jfr_field *fields;
    size_t class_capacity, field_capacity, field_count;
    char *texts;
    size_t text_size, text_capacity;
};

/* Parses the body of a metadata event. False if it is damaged, or without memory. */
bool jfr_types_read(struct jfr_types *types, struct jfr_cursor *cursor);
void jfr_types_free(struct jfr_types *types);

const struct jfr_class *jfr_find_class(const struct jfr_types *types, uint64_t id); /* NULL: not defined */
const char *jfr_class_name(const struct jfr_types *types, const struct jfr_class *class);

/* A value that a reader requests, by the name of its field. */
struct jfr_wanted {
    const char *name;
    bool found;
    uint64_t number; /* of a number, a truth value, or the key of a pool */
    struct jfr_text text;
};
/* An element of an array, which the function must pass over. */
typedef void jfr_element(struct jfr_cursor *cursor, const struct jfr_class *class, void *user);

/* What is wanted of a value. */
struct jfr_request {
    struct jfr_wanted *wanted;
    size_t count;
    jfr_element *element; /* is called for each element of an array; NULL: they are passed over */
    void *user;
};

/* The fields of a value of this class: those wanted are kept, all others passed over. NULL: nothing is wanted. */
void jfr_read_object(const struct jfr_types *types, struct jfr_cursor *cursor, const struct jfr_class *class,
                     const struct jfr_request *request);

#endif
