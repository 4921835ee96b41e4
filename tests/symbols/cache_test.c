/* cache_test.c - locations that were added are found again, but only for the same module. */
#include "collect/symbols/cache.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static void nothing(void)
{
    const struct location *locations;
    size_t count;
    ok(cache_module(NULL, "/bin/a", "00ff") == 0, "without a cache there is no module");
    ok(!cache_find(NULL, 0, 1, &locations, &count), "  no place is found");
    ok(!cache_add(NULL, 0, 1, NULL, 0), "  and none is kept");
    cache_free(NULL);
}

static void modules(struct cache *cache)
{
    uint32_t a = cache_module(cache, "/bin/a", "00ff");
    ok(a != 0, "a module gets an id");
    ok(cache_module(cache, "/bin/a", "00ff") == a, "  the same module gets the same");
    ok(cache_module(cache, "/bin/b", "00ff") != a, "  another path gets another");
    ok(cache_module(cache, "/bin/a", "00fe") != a, "  and so does another build id");
    ok(cache_module(cache, "f /bin/a", "00f") != a, "  also if it has the same beginning");
    ok(cache_module(cache, "/bin/a", "") == 0, "  a module without a build id gets none");
}

static void locations(struct cache *cache)
{
    const struct location *found;
    size_t count = 9;
    uint32_t a = cache_module(cache, "/bin/a", "00ff"), b = cache_module(cache, "/bin/b", "00ff");
    struct location two[2] = {{strdup("inner"), strdup(""), strdup("a.c"), 7, 100},
                              {strdup("outer"), strdup(""), strdup("a.c"), 9, 90}};
    ok(!cache_find(cache, a, 100, &found, &count) && count == 9, "a position is not known yet");
    ok(cache_add(cache, a, 100, two, 2), "  two places are added to it");
    ok(cache_find(cache, a, 100, &found, &count) && count == 2, "  and found");
    ok(strcmp(found[0].name, "inner") == 0 && found[0].line == 7 && strcmp(found[1].name, "outer") == 0,
       "  unchanged and in order");
    ok(!cache_find(cache, b, 100, &found, &count), "  but not in another module");
    ok(!cache_find(cache, a, 101, &found, &count), "  nor at another position");
    ok(cache_add(cache, a, 200, NULL, 0), "a position without places is added");
    ok(cache_find(cache, a, 200, &found, &count) && count == 0, "  and found to have none");
    for (uint64_t position = 1000; position < 21000; position++)
        cache_add(cache, b, position, NULL, 0);
    bool good = true;
    for (uint64_t position = 1000; position < 21000; position++)
        good = good && cache_find(cache, b, position, &found, &count);
    ok(good && cache_find(cache, a, 100, &found, &count) && count == 2,
       "twenty thousand more positions are found, and so is the first");
}

int main(void)
{
    struct cache *cache = cache_new();
    nothing();
    modules(cache);
    locations(cache);
    cache_free(cache);
    return done_testing();
}
