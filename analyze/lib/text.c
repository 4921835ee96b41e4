#include "analyze/lib/text.h"

#include <stdlib.h>

json_t *text_json(const char *text, size_t length)
{
    json_t *string = json_stringn(text, length);
    if (string)
        return string;
    char *latin = malloc(2 * length + 1), *at = latin;
    if (!latin)
        return NULL;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte >= 0x80)
            *at++ = (char)(0xc0 | byte >> 6);
        *at++ = (char)(byte >= 0x80 ? 0x80 | (byte & 0x3f) : byte);
    }
    string = json_stringn(latin, (size_t)(at - latin));
    free(latin);
    return string;
}
