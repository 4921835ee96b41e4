#include "table/import/bench_xml.h"

#include <stdio.h>
#include <string.h>

const char *bench_xml_find(const char *from, const char *end, const char *needle)
{
    return from < end ? memmem(from, (size_t)(end - from), needle, strlen(needle)) : NULL;
}

size_t bench_xml_count(const char *from, const char *end, const char *needle)
{
    size_t count = 0;
    for (const char *at = from; (at = bench_xml_find(at, end, needle)); at++)
        count++;
    return count;
}

bool bench_xml_is(const char *tag, const char *end, const char *name)
{
    size_t length = strlen(name);
    return (size_t)(end - tag) >= length && memcmp(tag, name, length) == 0;
}

/* The '>' that closes the tag that begins here, outside attributes; NULL if the text breaks off before. */
static const char *bench_xml_close(const char *tag, const char *end)
{
    char quote = '\0';
    for (; tag < end; tag++) {
        if (quote)
            quote = *tag == quote ? '\0' : quote;
        else if (*tag == '"' || *tag == '\'')
            quote = *tag;
        else if (*tag == '>')
            return tag;
    }
    return NULL;
}

bool bench_xml_attribute(const char *tag, const char *end, const char *name, char *value, size_t size)
{
    static const struct {
        const char *entity;
        char c;
    } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    const char *close = bench_xml_close(tag, end), *at;
    char key[32];
    size_t used = 0;
    snprintf(key, sizeof key, " %s=\"", name);
    *value = '\0';
    if (!close || !(at = bench_xml_find(tag, close, key)))
        return false;
    at += strlen(key);
    while (at < close && *at != '"' && used + 1 < size) {
        size_t length = 1;
        value[used] = *at;
        for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
            if (bench_xml_is(at, close, entities[i].entity)) {
                length = strlen(entities[i].entity);
                value[used] = entities[i].c;
            }
        at += length;
        used++;
    }
    value[used] = '\0';
    return true;
}
