#include "trace/import/jfr/jfr.h"

#include <string.h>

#include "base/grow.h"

enum { NESTING_MAX = 32, TEXT_MAX = 1 << 16, STEPS_MAX = 1 << 22 };

/* ------------------------------------------------------------------------------------------ bytes -- */

static uint64_t jfr_cursor_fail(struct jfr_cursor *cursor)
{
    cursor->bad = true;
    cursor->at = cursor->end;
    return 0;
}

uint64_t jfr_read_number(struct jfr_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 9 && cursor->at < cursor->end; i++) {
        unsigned char byte = *cursor->at++;
        if (i == 8)
            return value | (uint64_t)byte << 56;
        value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80)
            return value;
    }
    return jfr_cursor_fail(cursor);
}

uint64_t jfr_read_fixed(struct jfr_cursor *cursor, size_t bytes)
{
    uint64_t value = 0;
    if ((size_t)(cursor->end - cursor->at) < bytes)
        return jfr_cursor_fail(cursor);
    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | *cursor->at++;
    return value;
}

void jfr_read_text(struct jfr_cursor *cursor, struct jfr_text *text)
{
    *text = (struct jfr_text){.bytes = cursor->at};
    uint64_t encoding = jfr_read_fixed(cursor, 1);
    if (cursor->bad || encoding <= 1) /* null, empty */
        return;
    uint64_t number = jfr_read_number(cursor);
    text->bytes = cursor->at;
    if (encoding == 2) {
        text->pooled = number + 1;
    } else if (encoding == 4) {
        text->wide = true;
        for (uint64_t i = 0; i < number && !cursor->bad; i++)
            jfr_read_number(cursor);
        text->length = cursor->bad ? 0 : (size_t)number;
    } else if ((encoding == 3 || encoding == 5) && number <= (size_t)(cursor->end - cursor->at)) {
        text->latin = encoding == 5;
        text->length = (size_t)number;
        cursor->at += number;
    } else {
        jfr_cursor_fail(cursor);
    }
}

void jfr_copy_text(const struct jfr_text *text, char *out, size_t size)
{
    size_t length = 0;
    struct jfr_cursor cursor = {text->bytes, text->bytes + TEXT_MAX, 0, false};
    if (!text->wide && !text->latin) {
        length = text->length < size ? text->length : size - 1;
        if (length > 0) /* without a text, bytes is NULL */
            memcpy(out, text->bytes, length);
    } else { /* as UTF-8, surrogates individually, as much as there is capacity for */
        for (size_t i = 0; i < text->length; i++) {
            uint32_t c = (uint32_t)(text->wide ? jfr_read_number(&cursor) & 0xffff : text->bytes[i]);
            size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
            const unsigned char bytes[] = {(unsigned char)(n == 1   ? c
                                                           : n == 2 ? 0xc0 | c >> 6
                                                                    : 0xe0 | c >> 12),
                                           (unsigned char)(0x80 | (n == 2 ? c : c >> 6) % 64),
                                           (unsigned char)(0x80 | c % 64)};
            if (length + n >= size)
                break;
            memcpy(out + length, bytes, n);
            length += n;
        }
    }
    out[length] = '\0';
}

/* ------------------------------------------------------------------------------------------ metadata -- */

/* While the metadata is read: its texts by id, as offsets. */
struct loader {
    struct jfr_types *types;
    uint32_t *texts;
    size_t text_count;
    unsigned elements;
    bool full;
};

static bool jfr_types_read_texts(struct loader *loader, struct jfr_cursor *cursor)
{
    struct jfr_types *types = loader->types;
    uint64_t count = jfr_read_number(cursor);
    if (cursor->bad || count > (size_t)(cursor->end - cursor->at))
        return false;
    loader->texts = calloc((size_t)count + 1, sizeof *loader->texts);
    if (!loader->texts)
        return false;
    for (loader->text_count = 0; loader->text_count < count && !cursor->bad; loader->text_count++) {
        struct jfr_text text;
        char copy[512];
        jfr_read_text(cursor, &text);
        jfr_copy_text(&text, copy, sizeof copy);
        size_t length = strlen(copy) + 1;
        char *grown = grow(types->texts, &types->text_capacity, types->text_size + length, 1);
        loader->full |= !grown || types->text_size + length > UINT32_MAX;
        if (loader->full)
            return false;
        types->texts = grown;
        memcpy(grown + types->text_size, copy, length);
        loader->texts[loader->text_count] = (uint32_t)types->text_size;
        types->text_size += length;
    }
    return !cursor->bad;
}

static uint32_t jfr_types_text(const struct loader *loader, uint64_t number)
{
    return number < loader->text_count ? loader->texts[number] : loader->texts[0];
}

/* The attributes of an element. */
struct attributes {
    uint32_t name;
    uint64_t id, class;
    bool pooled, array;
};

static void jfr_types_read_attributes(const struct loader *loader, struct jfr_cursor *cursor,
                                      struct attributes *attributes)
{
    const char *texts = loader->types->texts;
    uint64_t count = jfr_read_number(cursor);
    *attributes = (struct attributes){.name = jfr_types_text(loader, 0)};
    for (uint64_t i = 0; i < count && !cursor->bad; i++) {
        const char *key = texts + jfr_types_text(loader, jfr_read_number(cursor));
        uint32_t value = jfr_types_text(loader, jfr_read_number(cursor));
        if (strcmp(key, "name") == 0)
            attributes->name = value;
        else if (strcmp(key, "id") == 0)
            attributes->id = strtoull(texts + value, NULL, 10);
        else if (strcmp(key, "class") == 0)
            attributes->class = strtoull(texts + value, NULL, 10);
        else if (strcmp(key, "constantPool") == 0)
            attributes->pooled = strcmp(texts + value, "true") == 0;
        else if (strcmp(key, "dimension") == 0)
            attributes->array = strcmp(texts + value, "0") != 0;
    }
}

static void jfr_types_add_class(struct loader *loader, const struct attributes *attributes)
{
    static const struct {
        const char *name;
        enum jfr_primitive primitive;
    } primitives[] = {{"boolean", JFR_BYTE}, {"byte", JFR_BYTE},     {"char", JFR_NUMBER},
                      {"short", JFR_NUMBER}, {"int", JFR_NUMBER},    {"long", JFR_NUMBER},
                      {"float", JFR_FLOAT},  {"double", JFR_DOUBLE}, {"java.lang.String", JFR_STRING}};
    struct jfr_types *types = loader->types;
    uint32_t index = idmap_add(&types->ids, attributes->id);
    struct jfr_class *grown = grow(types->classes, &types->class_capacity, index, sizeof *grown);
    if (!index || !grown) {
        loader->full = true;
        return;
    }
    types->classes = grown;
    grown[index] = (struct jfr_class){.name = attributes->name, .primitive = JFR_STRUCT, .first = types->field_count};
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        if (strcmp(primitives[i].name, types->texts + attributes->name) == 0)
            grown[index].primitive = primitives[i].primitive;
}

/* An element and all in it. Fields belong to the enclosing class: `class` is its index. */
static void jfr_types_read_element(struct loader *loader, struct jfr_cursor *cursor, uint64_t class, unsigned nesting)
{
    struct attributes attributes;
    struct jfr_types *types = loader->types;
    const char *name = types->texts + jfr_types_text(loader, jfr_read_number(cursor));
    bool is_class = strcmp(name, "class") == 0, is_field = strcmp(name, "field") == 0;
    jfr_types_read_attributes(loader, cursor, &attributes);
    if (cursor->bad || nesting > NESTING_MAX || ++loader->elements > STEPS_MAX) {
        jfr_cursor_fail(cursor);
        return;
    }
    if (is_class) {
        jfr_types_add_class(loader, &attributes);
        class = attributes.id;
    } else if (is_field) {
        struct jfr_field *grown = grow(types->fields, &types->field_capacity, types->field_count, sizeof *grown);
        loader->full |= !grown;
        types->fields = grown ? grown : types->fields;
        if (grown)
            grown[types->field_count++] =
                (struct jfr_field){attributes.name, attributes.class, attributes.pooled, attributes.array};
    }
    uint64_t children = jfr_read_number(cursor);
    for (uint64_t i = 0; i < children && !cursor->bad && !loader->full; i++)
        jfr_types_read_element(loader, cursor, class, nesting + 1);
    if (is_class && !loader->full) {
        struct jfr_class *done = &loader->types->classes[idmap_find(&loader->types->ids, class)];
        done->count = loader->types->field_count - done->first;
    }
}

bool jfr_types_read(struct jfr_types *types, struct jfr_cursor *cursor)
{
    struct loader loader = {.types = types};
    bool good = jfr_types_read_texts(&loader, cursor) && loader.text_count > 0;
    if (good)
        jfr_types_read_element(&loader, cursor, 0, 0);
    free(loader.texts);
    return good && !cursor->bad && !loader.full;
}

void jfr_types_free(struct jfr_types *types)
{
    idmap_free(&types->ids);
    free(types->classes);
    free(types->fields);
    free(types->texts);
    *types = (struct jfr_types){0};
}

const struct jfr_class *jfr_find_class(const struct jfr_types *types, uint64_t id)
{
    uint32_t index = idmap_find(&types->ids, id);
    return index ? &types->classes[index] : NULL;
}

const char *jfr_class_name(const struct jfr_types *types, const struct jfr_class *class)
{
    return types->texts + class->name;
}

/* ------------------------------------------------------------------------------------------ values -- */

static void jfr_read_fields(const struct jfr_types *types, struct jfr_cursor *cursor, const struct jfr_class *class,
                            const struct jfr_request *request, unsigned nesting);

static const struct jfr_request nothing;

static void jfr_read_value(const struct jfr_types *types, struct jfr_cursor *cursor, const struct jfr_field *field,
                           struct jfr_wanted *wanted, unsigned nesting)
{
    const struct jfr_class *class = jfr_find_class(types, field->type);
    struct jfr_text text = {0};
    uint64_t number = 0;
    if (!class || nesting > NESTING_MAX || cursor->budget-- == 0) {
        jfr_cursor_fail(cursor);
        return;
    }
    if (field->pooled || class->primitive == JFR_NUMBER)
        number = jfr_read_number(cursor);
    else if (class->primitive == JFR_STRING)
        jfr_read_text(cursor, &text);
    else if (class->primitive != JFR_STRUCT)
        number = jfr_read_fixed(cursor, class->primitive == JFR_BYTE ? 1 : class->primitive == JFR_FLOAT ? 4 : 8);
    else
        jfr_read_fields(types, cursor, class, &nothing, nesting + 1);
    if (wanted) {
        wanted->found = true;
        wanted->number = number;
        wanted->text = text;
    }
}

static void jfr_read_fields(const struct jfr_types *types, struct jfr_cursor *cursor, const struct jfr_class *class,
                            const struct jfr_request *request, unsigned nesting)
{
    for (size_t i = 0; i < class->count && !cursor->bad; i++) {
        const struct jfr_field *field = &types->fields[class->first + i];
        if (!field->array) {
            struct jfr_wanted *match = NULL;
            for (size_t w = 0; w < request->count; w++)
                if (strcmp(request->wanted[w].name, types->texts + field->name) == 0)
                    match = &request->wanted[w];
            jfr_read_value(types, cursor, field, match, nesting);
            continue;
        }
        const struct jfr_class *inner = jfr_find_class(types, field->type);
        uint64_t count = jfr_read_number(cursor);
        if (!inner || count > (size_t)(cursor->end - cursor->at)) {
            jfr_cursor_fail(cursor);
            return;
        }
        for (uint64_t k = 0; k < count && !cursor->bad; k++)
            if (request->element && !field->pooled && inner->primitive == JFR_STRUCT)
                request->element(cursor, inner, request->user);
            else
                jfr_read_value(types, cursor, field, NULL, nesting);
    }
}

void jfr_read_object(const struct jfr_types *types, struct jfr_cursor *cursor, const struct jfr_class *class,
                     const struct jfr_request *request)
{
    cursor->budget = STEPS_MAX;
    jfr_read_fields(types, cursor, class, request ? request : &nothing, 0);
}
