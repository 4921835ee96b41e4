/*
 * relations.h - the state of an analyzer as relations, which are described once.
 *
 * A relation is a set of rows with unique keys; a row is a structure, and its description lists the structure's fields:
 * their type, their place, and how the fields of two rows with the same key are joined. Adding, merging, saving and
 * loading follow from the description. Rows keep the order in which they were added, so that the numbers of rows are
 * stable. A state stores each text once, and rows refer to texts and to other rows by number.
 *
 * An analyzer whose state begins with a struct relations needs no functions of its own for these (analyzer.h).
 */
#ifndef ASSAY_ANALYZE_DRIVER_RELATIONS_H
#define ASSAY_ANALYZE_DRIVER_RELATIONS_H

#include <jansson.h>

#include "base/keyed.h"
#include "base/text_set.h"

/* The C type of a field. */
enum field_type {
    FIELD_TEXT,   /* uint32_t: the number of a text */
    FIELD_ROW,    /* uint32_t: the number of a row of `relation`, which is an earlier one, or of an earlier row */
    FIELD_NUMBER, /* uint32_t */
    FIELD_COUNT,  /* uint64_t */
    FIELD_WIDE,   /* unsigned __int128 */
    FIELD_FLAG,   /* bool */
    FIELD_REAL,   /* double: finite, or NaN if the field is optional */
    FIELD_LONG,   /* long double: finite */
    FIELD_OBJECT  /* what `class` says */
};

/* How the field of a row becomes that of two rows with the same key. */
enum field_join {
    JOIN_KEY,   /* it is part of the key: the same in both */
    JOIN_FIRST, /* that of the row which was there first */
    JOIN_SUM,   /* of a flag: either */
    JOIN_LARGEST,
    JOIN_SMALLEST,
    JOIN_OWN /* by the `join` of the relation */
};

/* A value of a type that describes itself; zeros are an empty one. */
struct field_class {
    size_t bytes;
    int (*join)(void *object, const void *other);   /* 0 or an errno value */
    json_t *(*save)(const void *object);            /* a new reference; NULL without memory */
    int (*load)(void *object, const json_t *saved); /* into an empty one: 0, EINVAL or ENOMEM */
    void (*free)(void *object);                     /* NULL: it owns nothing */
};

enum { FIELD_NONE = UINT32_MAX }; /* an optional text or row that is missing */

struct field {
    enum field_type type;
    enum field_join join;
    size_t offset;                   /* in the row */
    size_t count;                    /* of an array; 0: it is none */
    unsigned relation;               /* of a FIELD_ROW */
    uint64_t limit;                  /* a loaded number or count must be below it; 0: there is no limit */
    bool optional;                   /* may be FIELD_NONE, or NaN */
    const struct field_class *class; /* of a FIELD_OBJECT */
};

struct relations;

struct relation {
    const char *name;            /* in a saved state */
    size_t row_bytes, key_bytes; /* the row begins with its key (base/keyed.h); 0: it has none, and joins with none */
    const struct field *fields;  /* in the order in which a saved state lists them */
    size_t field_count;
    /* Joins the fields with JOIN_OWN of two rows; objects are joined after it. 0 or ENOMEM. */
    int (*join)(struct relations *relations, void *row, const void *other);
    bool (*valid)(const void *row); /* whether a loaded row may be; NULL: every one */
    /* Called before a row of another state, or a loaded one, is added: it sets what the description does not list, and
     * says whether the row may be added. Otherwise a merge leaves it out, and no row may refer to it; a saved state is
     * refused. NULL: every one may. */
    bool (*admit)(struct relations *relations, void *row);
    bool optional; /* states that an older version saved may lack it: it is then empty */
};

/* The fields of a row type; then what else there is: .limit, .optional. */
#define FIELD(row, member, kind, how, ...)                                                                             \
    {                                                                                                                  \
        .type = (kind), .join = (how), .offset = offsetof(struct row, member), __VA_ARGS__                             \
    }
#define FIELD_ARRAY(row, member, kind, how, size, ...)                                                                 \
    {                                                                                                                  \
        .type = (kind), .join = (how), .offset = offsetof(struct row, member), .count = (size), __VA_ARGS__            \
    }
#define FIELD_ROW_OF(row, member, how, target, ...)                                                                    \
    {                                                                                                                  \
        .type = FIELD_ROW, .join = (how), .offset = offsetof(struct row, member), .relation = (target), __VA_ARGS__    \
    }
#define FIELD_OBJECT_OF(row, member, what)                                                                             \
    {                                                                                                                  \
        .type = FIELD_OBJECT, .join = JOIN_SUM, .offset = offsetof(struct row, member), .class = (what)                \
    }
#define FIELD_OBJECTS_OF(row, member, what, size)                                                                      \
    {                                                                                                                  \
        .type = FIELD_OBJECT, .join = JOIN_SUM, .offset = offsetof(struct row, member), .count = (size),               \
        .class = (what)                                                                                                \
    }
#define RELATION_FIELDS(array) .fields = (array), .field_count = sizeof(array) / sizeof(array)[0]

enum { RELATIONS_MAX = 9 };

struct relations {
    const struct relation *described; /* [count]; a row refers to rows of relations before its own */
    size_t count;
    struct text_set texts;
    struct keyed rows[RELATIONS_MAX];
};

/* An empty state; the description must outlive it. */
void relations_init(struct relations *relations, const struct relation *described, size_t count);
void relations_free(struct relations *relations);

/* The number of a text, added if it is new; FIELD_NONE without memory. */
static inline uint32_t relations_text(struct relations *relations, const char *text)
{
    return text_set_add(&relations->texts, text);
}

/* Adds a row, or joins it with the one that has its key. The number of the row; FIELD_NONE without memory. Objects of
 * the given row stay the caller's. Expected O(size of the row). */
uint32_t relations_add(struct relations *relations, unsigned relation, const void *row);

/* The number of the row with the key of this one, which is added if there is none, and joins with none: for rows whose
 * counts grow record by record. Its objects must be empty. FIELD_NONE without memory. Expected O(size of the key). */
static inline uint32_t relations_row(struct relations *relations, unsigned relation, const void *row)
{
    return keyed_add(&relations->rows[relation], row);
}

/* The row of this number; valid until the next one is added. */
static inline void *relations_at(const struct relations *relations, unsigned relation, size_t row)
{
    return keyed_at(&relations->rows[relation], row);
}

/* The number of the row with this key; FIELD_NONE: there is none. */
static inline uint32_t relations_find(const struct relations *relations, unsigned relation, const void *key)
{
    return keyed_find(&relations->rows[relation], key);
}

static inline size_t relations_count(const struct relations *relations, unsigned relation)
{
    return relations->rows[relation].count;
}

static inline const char *relations_text_at(const struct relations *relations, uint32_t text)
{
    return relations->texts.texts[text];
}

/* Adds the rows of another state with the same description, in their order; `other` can only be freed afterwards. 0,
 * ENOMEM or the error of a join. O(size of `other`), or O(1) into an empty state. */
int relations_merge(struct relations *relations, struct relations *other);

/* The numbers that the texts and rows of a state have in the one which it was merged into. */
struct relations_numbers {
    uint32_t *texts, *rows[RELATIONS_MAX];
};
/* relations_merge() for a state of which more refers to its texts and rows; always O(size of `other`). A member of a
 * row that no field describes stays; a new row has that of `other`. To be freed in either case. */
int relations_merge_numbered(struct relations *relations, const struct relations *other,
                             struct relations_numbers *numbers);
void relations_numbers_free(struct relations_numbers *numbers);

/* A new object with an array of texts, and an array of rows for each relation; NULL without memory, never a part. */
json_t *relations_save(const struct relations *relations);

/* Into an empty state. 0, ENOMEM, or EINVAL: it is not such an object, or a number in it is out of its range. */
int relations_load(struct relations *relations, const json_t *saved);

/* --- a growing array of counts, as a class of fields --- */

struct field_counts {
    uint64_t *values;
    size_t length;
};

extern const struct field_class field_counts_class;

/* Makes it at least so long; new counts are 0. 0 or ENOMEM. */
int field_counts_extend(struct field_counts *counts, size_t length);

#endif
