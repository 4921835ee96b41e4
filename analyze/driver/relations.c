#include "analyze/driver/relations.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

typedef unsigned __int128 field_wide;

static size_t field_bytes(const struct field *field)
{
    static const size_t bytes[] = {
        [FIELD_TEXT] = sizeof(uint32_t),  [FIELD_ROW] = sizeof(uint32_t),    [FIELD_NUMBER] = sizeof(uint32_t),
        [FIELD_COUNT] = sizeof(uint64_t), [FIELD_WIDE] = sizeof(field_wide), [FIELD_FLAG] = sizeof(bool),
        [FIELD_REAL] = sizeof(double),    [FIELD_LONG] = sizeof(long double)};
    return field->type == FIELD_OBJECT ? field->class->bytes : bytes[field->type];
}

/* A field of a row, or an element of one that is an array. */
static void *field_at(const struct field *field, const void *row, size_t i)
{
    return (char *)(uintptr_t)row + field->offset + i * field_bytes(field);
}

static size_t field_count(const struct field *field)
{
    return field->count ? field->count : 1;
}

/* ------------------------------------------------------------------------------------------ a state -- */

void relations_init(struct relations *relations, const struct relation *described, size_t count)
{
    assert(count <= RELATIONS_MAX);
    for (size_t r = 0; r < count; r++)
        for (size_t f = 0; f < described[r].field_count; f++) /* a missing value can't be compared or added */
            assert(!described[r].fields[f].optional || described[r].fields[f].join < JOIN_SUM ||
                   described[r].fields[f].join == JOIN_OWN);
    *relations = (struct relations){.described = described, .count = count};
    for (size_t r = 0; r < count; r++) {
        relations->rows[r].item_bytes = described[r].row_bytes;
        relations->rows[r].key_bytes = described[r].key_bytes;
    }
}

static void relation_free_objects(const struct relation *relation, void *row)
{
    for (size_t f = 0; f < relation->field_count; f++) {
        const struct field *field = &relation->fields[f];
        for (size_t e = 0; field->type == FIELD_OBJECT && field->class->free && e < field_count(field); e++)
            field->class->free(field_at(field, row, e));
    }
}

void relations_free(struct relations *relations)
{
    for (unsigned r = 0; r < relations->count; r++) {
        const struct relation *relation = &relations->described[r];
        for (size_t i = 0; i < relations_count(relations, r); i++)
            relation_free_objects(relation, relations_at(relations, r, i));
        keyed_free(&relations->rows[r]);
    }
    text_set_free(&relations->texts);
}

/* ------------------------------------------------------------------------------------------ joining -- */

#define JOIN_VALUES(type, into, from, how)                                                                             \
    do {                                                                                                               \
        type *a = (into);                                                                                              \
        const type b = *(const type *)(from);                                                                          \
        *a = (how) == JOIN_SUM ? (type)(*a + b) : ((how) == JOIN_LARGEST ? b > *a : b < *a) ? b : *a;                  \
    } while (0)

static void field_join_value(const struct field *field, void *into, const void *from)
{
    switch (field->type) {
    case FIELD_TEXT:
    case FIELD_ROW:
    case FIELD_NUMBER:
        JOIN_VALUES(uint32_t, into, from, field->join);
        break;
    case FIELD_COUNT:
        JOIN_VALUES(uint64_t, into, from, field->join);
        break;
    case FIELD_WIDE:
        JOIN_VALUES(field_wide, into, from, field->join);
        break;
    case FIELD_REAL:
        JOIN_VALUES(double, into, from, field->join);
        break;
    case FIELD_LONG:
        JOIN_VALUES(long double, into, from, field->join);
        break;
    case FIELD_FLAG:
        *(bool *)into |= *(const bool *)from;
        break;
    case FIELD_OBJECT:
        break;
    }
}

static int relations_join_rows(struct relations *relations, const struct relation *relation, void *into,
                               const void *from)
{
    for (size_t f = 0; f < relation->field_count; f++) {
        const struct field *field = &relation->fields[f];
        bool joins = field->join != JOIN_KEY && field->join != JOIN_FIRST && field->join != JOIN_OWN;
        for (size_t i = 0; joins && i < field_count(field); i++)
            field_join_value(field, field_at(field, into, i), field_at(field, from, i));
    }
    return relation->join ? relation->join(relations, into, from) : 0;
}

/* A new row has copies of the objects. */
static int relation_join_objects(const struct relation *relation, void *into, const void *from, bool fresh)
{
    int error = 0;
    for (size_t f = 0; f < relation->field_count; f++) {
        const struct field *field = &relation->fields[f];
        for (size_t e = 0; field->type == FIELD_OBJECT && e < field_count(field); e++) {
            if (fresh)
                memset(field_at(field, into, e), 0, field->class->bytes);
            if (!error && (fresh || field->join != JOIN_OWN))
                error = field->class->join(field_at(field, into, e), field_at(field, from, e));
        }
    }
    return error;
}

/* relations_add(), with the error of a class or of the relation. */
static int relations_put(struct relations *relations, unsigned r, const void *row, uint32_t *number)
{
    const struct relation *relation = &relations->described[r];
    struct keyed *rows = &relations->rows[r];
    size_t before = rows->count;
    *number = keyed_add(rows, row);
    if (*number == KEYED_FULL)
        return ENOMEM;
    bool fresh = rows->count > before;
    void *into = keyed_at(rows, *number);
    int error = fresh ? 0 : relations_join_rows(relations, relation, into, row);
    int broken = relation_join_objects(relation, into, row, fresh);
    return error ? error : broken;
}

uint32_t relations_add(struct relations *relations, unsigned r, const void *row)
{
    uint32_t number;
    return relations_put(relations, r, row, &number) ? FIELD_NONE : number;
}

static int relations_merge_rows(struct relations *relations, const struct relations *other, unsigned r,
                                const struct relations_numbers *numbers)
{
    const struct relation *relation = &relations->described[r];
    void *row = malloc(relation->row_bytes);
    int error = row ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < relations_count(other, r); i++) {
        memcpy(row, relations_at(other, r, i), relation->row_bytes);
        for (size_t f = 0; f < relation->field_count; f++) {
            const struct field *field = &relation->fields[f];
            const uint32_t *map = field->type == FIELD_TEXT  ? numbers->texts
                                  : field->type == FIELD_ROW ? numbers->rows[field->relation]
                                                             : NULL;
            for (size_t e = 0; map && e < field_count(field); e++) {
                uint32_t *number = field_at(field, row, e);
                *number = *number == FIELD_NONE ? FIELD_NONE : map[*number];
            }
        }
        if (relation->admit && !relation->admit(relations, row))
            numbers->rows[r][i] = FIELD_NONE;
        else
            error = relations_put(relations, r, row, &numbers->rows[r][i]);
    }
    free(row);
    return error;
}

int relations_merge_numbered(struct relations *relations, const struct relations *other,
                             struct relations_numbers *numbers)
{
    *numbers = (struct relations_numbers){.texts = malloc((other->texts.count + 1) * sizeof *numbers->texts)};
    int error = numbers->texts ? 0 : ENOMEM;
    for (uint32_t i = 0; !error && i < other->texts.count; i++) {
        numbers->texts[i] = relations_text(relations, other->texts.texts[i]);
        error = numbers->texts[i] == FIELD_NONE ? ENOMEM : 0;
    }
    for (unsigned r = 0; !error && r < relations->count; r++) {
        numbers->rows[r] = malloc((relations_count(other, r) + 1) * sizeof *numbers->rows[r]);
        error = numbers->rows[r] ? relations_merge_rows(relations, other, r, numbers) : ENOMEM;
    }
    return error;
}

void relations_numbers_free(struct relations_numbers *numbers)
{
    free(numbers->texts);
    for (size_t r = 0; r < RELATIONS_MAX; r++)
        free(numbers->rows[r]);
}

int relations_merge(struct relations *relations, struct relations *other)
{
    assert(relations->described == other->described && relations->count == other->count);
    bool is_empty = relations->texts.count == 0;
    for (unsigned r = 0; r < relations->count; r++)
        is_empty &= relations_count(relations, r) == 0;
    if (is_empty) {
        const struct relations empty = *relations;
        *relations = *other;
        *other = empty;
        return 0;
    }
    struct relations_numbers numbers;
    int error = relations_merge_numbered(relations, other, &numbers);
    relations_numbers_free(&numbers);
    return error;
}

/* ------------------------------------------------------------------------------------------ texts as JSON -- */

/* JSON has no other texts than UTF-8: others become their bytes in hexadecimal after this mark. */
static const char BYTES_MARK = '\1';

static json_t *relations_save_text(const char *text)
{
    json_error_t error = {0};
    json_t *saved = *text == BYTES_MARK ? NULL : json_pack_ex(&error, 0, "s", text);
    if (saved || (*text != BYTES_MARK && json_error_code(&error) != json_error_invalid_utf8))
        return saved; /* it is UTF-8, or there is no memory */
    char *bytes = malloc(2 * strlen(text) + 2);
    if (!bytes)
        return NULL;
    *bytes = BYTES_MARK;
    bytes[1] = '\0';
    for (size_t at = 0; text[at]; at++)
        sprintf(bytes + 1 + 2 * at, "%02x", (unsigned char)text[at]);
    saved = json_string(bytes);
    free(bytes);
    return saved;
}

static uint32_t relations_load_text(struct relations *relations, const char *saved)
{
    if (*saved != BYTES_MARK)
        return relations_text(relations, saved);
    size_t length = strlen(saved + 1) / 2;
    char *text = calloc(length + 1, 1);
    unsigned byte;
    for (size_t at = 0; text && at < length; at++)
        if (sscanf(saved + 1 + 2 * at, "%2x", &byte) == 1)
            text[at] = (char)byte;
    uint32_t number = text ? relations_text(relations, text) : FIELD_NONE;
    free(text);
    return number;
}

static int relations_load_texts(struct relations *relations, const json_t *saved)
{
    size_t i;
    json_t *text;
    if (!json_is_array(saved))
        return EINVAL;
    json_array_foreach(saved, i, text)
    {
        uint32_t number = json_is_string(text) ? relations_load_text(relations, json_string_value(text)) : 0;
        if (number == FIELD_NONE)
            return ENOMEM;
        if (!json_is_string(text) || number != i) /* texts are distinct */
            return EINVAL;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ values as JSON -- */

/* Appends one value, or two: the lower and the upper half of a wide integer; of a long real the nearest double and the
 * rest. */
static void field_save_value(const struct field *field, const void *value, json_t *row)
{
    uint32_t number;
    field_wide wide;
    long double real;
    switch (field->type) {
    case FIELD_TEXT:
    case FIELD_ROW:
    case FIELD_NUMBER:
        memcpy(&number, value, sizeof number);
        json_array_append_new(row, json_integer(field->optional && number == FIELD_NONE ? -1 : (json_int_t)number));
        break;
    case FIELD_COUNT:
        json_array_append_new(row, json_integer((json_int_t) * (const uint64_t *)value));
        break;
    case FIELD_WIDE:
        memcpy(&wide, value, sizeof wide);
        json_array_append_new(row, json_integer((json_int_t)(uint64_t)wide));
        json_array_append_new(row, json_integer((json_int_t)(uint64_t)(wide >> 64)));
        break;
    case FIELD_FLAG:
        json_array_append_new(row, json_integer(*(const bool *)value));
        break;
    case FIELD_REAL:
        json_array_append_new(row, isnan(*(const double *)value) ? json_null() : json_real(*(const double *)value));
        break;
    case FIELD_LONG:
        memcpy(&real, value, sizeof real);
        json_array_append_new(row, json_real((double)real));
        json_array_append_new(row, json_real((double)(real - (double)real)));
        break;
    case FIELD_OBJECT:
        json_array_append_new(row, field->class->save(value));
        break;
    }
}

/* The numbers of a saved row, one after the other. */
struct row_reader {
    const json_t *row;
    size_t at;
    int error; /* the first one */
};

/* An integer of which every bit pattern is a value. */
static uint64_t row_read_bits(struct row_reader *reader)
{
    const json_t *value = json_array_get(reader->row, reader->at++);
    if (!json_is_integer(value))
        reader->error = reader->error ? reader->error : EINVAL;
    return (uint64_t)json_integer_value(value);
}

/* An integer below the limit; or −1, which becomes FIELD_NONE, if the field is optional. */
static uint64_t row_read_number(struct row_reader *reader, const struct field *field, uint64_t limit)
{
    uint64_t number = row_read_bits(reader);
    if (field->optional && number == UINT64_MAX)
        return FIELD_NONE;
    if (number >= limit)
        reader->error = reader->error ? reader->error : EINVAL;
    return number;
}

static double row_read_real(struct row_reader *reader, bool optional)
{
    const json_t *value = json_array_get(reader->row, reader->at++);
    if (optional && json_is_null(value))
        return NAN;
    if (!json_is_number(value) || !isfinite(json_number_value(value)))
        reader->error = reader->error ? reader->error : EINVAL;
    return json_number_value(value);
}

static void field_load_value(const struct field *field, struct row_reader *reader, uint64_t limit, void *value)
{
    field_wide low;
    long double near;
    switch (field->type) {
    case FIELD_TEXT:
    case FIELD_ROW:
    case FIELD_NUMBER:
        *(uint32_t *)value = (uint32_t)row_read_number(reader, field, limit);
        break;
    case FIELD_COUNT:
        *(uint64_t *)value = limit ? row_read_number(reader, field, limit) : row_read_bits(reader);
        break;
    case FIELD_WIDE:
        low = row_read_bits(reader);
        *(field_wide *)value = low | (field_wide)row_read_bits(reader) << 64;
        break;
    case FIELD_FLAG:
        *(bool *)value = row_read_number(reader, field, 2) == 1;
        break;
    case FIELD_REAL:
        *(double *)value = row_read_real(reader, field->optional);
        break;
    case FIELD_LONG:
        near = row_read_real(reader, false);
        *(long double *)value = near + row_read_real(reader, false);
        break;
    case FIELD_OBJECT:
        if (!reader->error)
            reader->error = field->class->load(value, json_array_get(reader->row, reader->at));
        reader->at++;
        break;
    }
}

/* ------------------------------------------------------------------------------------------ rows as JSON -- */

static json_t *relations_save_rows(const struct relations *relations, unsigned r)
{
    const struct relation *relation = &relations->described[r];
    json_t *rows = json_array();
    for (size_t i = 0; rows && i < relations_count(relations, r); i++) {
        size_t expected = 0;
        json_t *row = json_array();
        for (size_t f = 0; row && f < relation->field_count; f++) {
            const struct field *field = &relation->fields[f];
            size_t count = field_count(field);
            for (size_t e = 0; e < count; e++)
                field_save_value(field, field_at(field, relations_at(relations, r, i), e), row);
            expected += field->type == FIELD_WIDE || field->type == FIELD_LONG ? 2 * count : count;
        }
        if (json_array_size(row) < expected || json_array_append(rows, row) != 0) {
            json_decref(rows);
            rows = NULL;
        }
        json_decref(row);
    }
    return rows;
}

json_t *relations_save(const struct relations *relations)
{
    json_t *saved = json_object(), *texts = json_array();
    bool good = saved && texts;
    for (uint32_t i = 0; good && i < relations->texts.count; i++)
        good = json_array_append_new(texts, relations_save_text(relations->texts.texts[i])) == 0;
    good = json_object_set_new(saved, "texts", texts) == 0 && good;
    for (unsigned r = 0; good && r < relations->count; r++)
        good = json_object_set_new(saved, relations->described[r].name, relations_save_rows(relations, r)) == 0;
    if (good)
        return saved;
    json_decref(saved);
    return NULL;
}

/* What the value of a field in row `number` of relation `r` must be below; 0: there is no limit. */
static uint64_t relations_limit(const struct relations *relations, unsigned r, const struct field *field, size_t number)
{
    switch (field->type) {
    case FIELD_TEXT:
        return relations->texts.count;
    case FIELD_ROW:
        return field->relation == r ? number : relations_count(relations, field->relation);
    case FIELD_NUMBER:
        return field->limit ? field->limit : UINT64_C(1) << 32;
    default:
        return field->limit;
    }
}

static int relations_load_row(struct relations *relations, unsigned r, const json_t *saved, size_t number, void *row)
{
    const struct relation *relation = &relations->described[r];
    struct row_reader reader = {.row = saved};
    memset(row, 0, relation->row_bytes);
    for (size_t f = 0; f < relation->field_count; f++) {
        const struct field *field = &relation->fields[f];
        uint64_t limit = relations_limit(relations, r, field, number);
        for (size_t e = 0; e < field_count(field); e++)
            field_load_value(field, &reader, limit, field_at(field, row, e));
    }
    if (!reader.error && (json_array_size(saved) != reader.at || (relation->valid && !relation->valid(row)) ||
                          (relation->admit && !relation->admit(relations, row))))
        return EINVAL;
    return reader.error;
}

static int relations_load_rows(struct relations *relations, unsigned r, const json_t *saved)
{
    const struct relation *relation = &relations->described[r];
    if (!saved && relation->optional)
        return 0;
    void *row = malloc(relation->row_bytes);
    int error = !json_is_array(saved) ? EINVAL : row ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < json_array_size(saved); i++) {
        error = relations_load_row(relations, r, json_array_get(saved, i), i, row);
        uint32_t number = 0;
        if (!error)
            error = relations_put(relations, r, row, &number);
        if (!error && number != i) /* keys are distinct */
            error = EINVAL;
        relation_free_objects(relation, row); /* relations_add() has copied them */
    }
    free(row);
    return error;
}

int relations_load(struct relations *relations, const json_t *saved)
{
    int error = relations_load_texts(relations, json_object_get(saved, "texts"));
    for (unsigned r = 0; !error && r < relations->count; r++)
        error = relations_load_rows(relations, r, json_object_get(saved, relations->described[r].name));
    return error;
}

/* ------------------------------------------------------------------------------------------ counts -- */

int field_counts_extend(struct field_counts *counts, size_t length)
{
    if (length <= counts->length)
        return 0;
    uint64_t *values = reallocarray(counts->values, length, sizeof *values);
    if (!values)
        return ENOMEM;
    memset(values + counts->length, 0, (length - counts->length) * sizeof *values);
    *counts = (struct field_counts){values, length};
    return 0;
}

static int field_counts_join(void *into, const void *from)
{
    struct field_counts *counts = into;
    const struct field_counts *other = from;
    int error = field_counts_extend(counts, other->length);
    for (size_t i = 0; !error && i < other->length; i++)
        counts->values[i] += other->values[i];
    return error;
}

static json_t *field_counts_save(const void *object)
{
    const struct field_counts *counts = object;
    json_t *saved = json_array();
    for (size_t i = 0; i < counts->length; i++)
        json_array_append_new(saved, json_integer((json_int_t)counts->values[i]));
    if (json_array_size(saved) == counts->length)
        return saved;
    json_decref(saved);
    return NULL;
}

static int field_counts_load(void *object, const json_t *saved)
{
    struct field_counts *counts = object;
    struct row_reader reader = {.row = saved};
    int error = json_is_array(saved) ? field_counts_extend(counts, json_array_size(saved)) : EINVAL;
    for (size_t i = 0; !error && i < counts->length; i++)
        counts->values[i] = row_read_bits(&reader);
    return error ? error : reader.error;
}

static void field_counts_free(void *object)
{
    free(((struct field_counts *)object)->values);
}

const struct field_class field_counts_class = {.bytes = sizeof(struct field_counts),
                                               .join = field_counts_join,
                                               .save = field_counts_save,
                                               .load = field_counts_load,
                                               .free = field_counts_free};
