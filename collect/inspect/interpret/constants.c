#include "collect/inspect/interpret/constants.h"

#include <stdlib.h>
#include <string.h>

/* What follows a tag, but for the text of CONSTANT_UTF8; 0: there is no such tag. */
static const uint8_t BYTES_AFTER_TAG[256] = {[CONSTANT_UTF8] = 2,           [CONSTANT_INTEGER] = 4,
                                             [CONSTANT_FLOAT] = 4,          [CONSTANT_LONG] = 8,
                                             [CONSTANT_DOUBLE] = 8,         [CONSTANT_CLASS] = 2,
                                             [CONSTANT_STRING] = 2,         [CONSTANT_FIELD] = 4,
                                             [CONSTANT_METHOD] = 4,         [CONSTANT_INTERFACE_METHOD] = 4,
                                             [CONSTANT_NAME_AND_TYPE] = 4,  [CONSTANT_METHOD_HANDLE] = 3,
                                             [CONSTANT_METHOD_TYPE] = 2,    [CONSTANT_DYNAMIC] = 4,
                                             [CONSTANT_INVOKE_DYNAMIC] = 4, [CONSTANT_MODULE] = 2,
                                             [CONSTANT_PACKAGE] = 2};

static uint32_t constants_unsigned2(const uint8_t *at)
{
    return (uint32_t)(at[0] << 8 | at[1]);
}

bool constants_parse(struct constants *constants, uint32_t count, const uint8_t *bytes, size_t size)
{
    *constants = (struct constants){.bytes = bytes, .count = count, .at = calloc((size_t)count + 1, sizeof(uint32_t))};
    size_t at = 0;
    bool good = constants->at;
    for (uint32_t i = 1; good && i < count; i++) {
        size_t behind = at < size ? BYTES_AFTER_TAG[bytes[at]] : 0;
        good = behind > 0 && at + 1 + behind <= size;
        if (!good)
            break;
        constants->at[i] = (uint32_t)at + 1;
        size_t text = bytes[at] == CONSTANT_UTF8 ? constants_unsigned2(bytes + at + 1) : 0;
        i += bytes[at] == CONSTANT_LONG || bytes[at] == CONSTANT_DOUBLE; /* these take two numbers */
        at += 1 + behind + text;
        good = at <= size;
    }
    constants->size = at;
    if (!good)
        constants_free(constants);
    return good;
}

void constants_free(struct constants *constants)
{
    free(constants->at);
    *constants = (struct constants){0};
}

/* What follows the constant's tag; NULL: it has another tag. */
static const uint8_t *constants_after_tag(const struct constants *constants, uint32_t number, unsigned tag)
{
    return tag && constants_tag(constants, number) == tag ? constants->bytes + constants->at[number] : NULL;
}

unsigned constants_tag(const struct constants *constants, uint32_t number)
{
    return number < constants->count && constants->at[number] ? constants->bytes[constants->at[number] - 1] : 0;
}

uint64_t constants_number(const struct constants *constants, uint32_t number)
{
    uint64_t value = 0;
    unsigned tag = constants_tag(constants, number);
    const uint8_t *at = constants_after_tag(constants, number, tag);
    size_t bytes = tag == CONSTANT_LONG || tag == CONSTANT_DOUBLE     ? 8
                   : tag == CONSTANT_INTEGER || tag == CONSTANT_FLOAT ? 4
                                                                      : 0;
    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

struct constants_text constants_utf8(const struct constants *constants, uint32_t number)
{
    const uint8_t *at = constants_after_tag(constants, number, CONSTANT_UTF8);
    return at ? (struct constants_text){(const char *)at + 2, constants_unsigned2(at)}
              : (struct constants_text){NULL, 0};
}

struct constants_text constants_class(const struct constants *constants, uint32_t number)
{
    const uint8_t *at = constants_after_tag(constants, number, CONSTANT_CLASS);
    return at ? constants_utf8(constants, constants_unsigned2(at)) : (struct constants_text){NULL, 0};
}

bool constants_member(const struct constants *constants, uint32_t number, struct constants_member *member)
{
    unsigned tag = constants_tag(constants, number);
    bool dynamic = tag == CONSTANT_DYNAMIC || tag == CONSTANT_INVOKE_DYNAMIC;
    if (!dynamic && tag != CONSTANT_FIELD && tag != CONSTANT_METHOD && tag != CONSTANT_INTERFACE_METHOD)
        return false;
    const uint8_t *at = constants_after_tag(constants, number, tag);
    const uint8_t *name = constants_after_tag(constants, constants_unsigned2(at + 2), CONSTANT_NAME_AND_TYPE);
    if (!name)
        return false;
    *member = (struct constants_member){.owner = dynamic ? (struct constants_text){NULL, 0}
                                                         : constants_class(constants, constants_unsigned2(at)),
                                        .name = constants_utf8(constants, constants_unsigned2(name)),
                                        .descriptor = constants_utf8(constants, constants_unsigned2(name + 2))};
    return member->name.text && member->descriptor.text && member->descriptor.length > 0 &&
           (dynamic || member->owner.text);
}

bool constants_text_is(const struct constants_text *text, const char *other)
{
    return text->text && strlen(other) == text->length && memcmp(text->text, other, text->length) == 0;
}
