#include "collect/record/start/caches.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "collect/exact/tool/counters/simulated.h"

enum { TEXT_MAX = 160 };
static char caches_text[TEXT_MAX];

static const char *caches_print(const struct simulated_cache caches[SIMULATED_LEVELS])
{
    int length = 0;
    for (size_t i = 0; i < SIMULATED_LEVELS; i++)
        length +=
            snprintf(caches_text + length, sizeof caches_text - (size_t)length, "%s%" PRIu64 "/%" PRIu32 "/%" PRIu32,
                     i ? "," : "", caches[i].bytes, caches[i].ways, caches[i].line_bytes);
    return caches_text;
}

/* A number of at most nine digits; advances *text past it. */
static bool caches_parse_number(const char **text, uint64_t *number)
{
    size_t digits = 0;
    for (*number = 0; **text >= '0' && **text <= '9' && digits < 10; ++*text, digits++)
        *number = *number * 10 + (uint64_t)(**text - '0');
    return digits > 0 && digits < 10;
}

static bool caches_skip_mark(const char **text, char mark)
{
    bool there = **text == mark;
    *text += there;
    return there;
}

const char *caches_parse(const char *text)
{
    struct simulated_cache caches[SIMULATED_LEVELS];
    for (size_t i = 0; i < SIMULATED_LEVELS; i++) {
        uint64_t bytes, ways, line;
        if ((i > 0 && !caches_skip_mark(&text, ',')) || !caches_parse_number(&text, &bytes))
            return NULL;
        bytes <<= caches_skip_mark(&text, 'K') ? 10 : caches_skip_mark(&text, 'M') ? 20 : 0;
        if (!caches_skip_mark(&text, '/') || !caches_parse_number(&text, &ways) || !caches_skip_mark(&text, '/') ||
            !caches_parse_number(&text, &line))
            return NULL;
        caches[i] = (struct simulated_cache){bytes, (uint32_t)ways, (uint32_t)line};
        if (!simulated_is_possible(&caches[i]))
            return NULL;
    }
    return *text ? NULL : caches_print(caches);
}

const char *caches_here(void)
{
    static const struct {
        int bytes, ways, line;
        struct simulated_cache usual;
    } levels[SIMULATED_LEVELS] = {
        {_SC_LEVEL1_ICACHE_SIZE, _SC_LEVEL1_ICACHE_ASSOC, _SC_LEVEL1_ICACHE_LINESIZE, {32 << 10, 8, 64}},
        {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC, _SC_LEVEL1_DCACHE_LINESIZE, {32 << 10, 8, 64}},
        {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC, _SC_LEVEL2_CACHE_LINESIZE, {1 << 20, 16, 64}}};
    struct simulated_cache caches[SIMULATED_LEVELS];
    for (size_t i = 0; i < SIMULATED_LEVELS; i++) {
        long bytes = sysconf(levels[i].bytes), ways = sysconf(levels[i].ways), line = sysconf(levels[i].line);
        struct simulated_cache usual = levels[i].usual;
        caches[i] =
            (struct simulated_cache){bytes > 0 ? (uint64_t)bytes : usual.bytes, ways > 0 ? (uint32_t)ways : usual.ways,
                                     line > 0 ? (uint32_t)line : usual.line_bytes};
        if (!simulated_is_possible(&caches[i]))
            caches[i] = usual;
    }
    return caches_print(caches);
}
