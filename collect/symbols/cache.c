#include "collect/symbols/cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

enum { ENTRIES_MAX = 1 << 20, MODULES_MAX = 1 << 12 };

struct entry {
    uint64_t position;
    uint32_t module, count;
    struct location *locations; /* [count]; NULL for none */
};

struct cache {
    struct hash set;
    struct entry *entries; /* from 1 */
    uint32_t entry_count;
    size_t entry_capacity;
    char **modules; /* "BUILD-ID PATH", from 1 */
    uint32_t module_count;
    size_t module_capacity;
};

struct cache *cache_new(void)
{
    return calloc(1, sizeof(struct cache));
}

void cache_free(struct cache *cache)
{
    if (!cache)
        return;
    for (uint32_t i = 1; i <= cache->entry_count; i++) {
        symbols_free_locations(cache->entries[i].locations, cache->entries[i].count);
        free(cache->entries[i].locations);
    }
    for (uint32_t i = 1; i <= cache->module_count; i++)
        free(cache->modules[i]);
    free(cache->entries);
    free(cache->modules);
    hash_free(&cache->set);
    free(cache);
}

/* Makes cache_reserve for one more after `count`; entry 0 is unused. */
static bool cache_reserve(void **array, uint32_t count, size_t *capacity, size_t size)
{
    void *grown = grow_unset(*array, capacity, count + 1, size);
    if (grown)
        *array = grown;
    return grown;
}

uint32_t cache_module(struct cache *cache, const char *path, const char *build_id)
{
    size_t length = strlen(build_id);
    if (!cache || length == 0)
        return 0;
    for (uint32_t i = 1; i <= cache->module_count; i++)
        if (strncmp(cache->modules[i], build_id, length) == 0 && cache->modules[i][length] == ' ' &&
            strcmp(cache->modules[i] + length + 1, path) == 0)
            return i;
    char *text = malloc(length + strlen(path) + 2);
    if (!text || cache->module_count == MODULES_MAX ||
        !cache_reserve((void **)&cache->modules, cache->module_count, &cache->module_capacity,
                       sizeof *cache->modules)) {
        free(text);
        return 0;
    }
    memcpy(text, build_id, length);
    text[length] = ' ';
    strcpy(text + length + 1, path);
    assert(cache->module_count + 1 < cache->module_capacity);
    cache->modules[++cache->module_count] = text;
    return cache->module_count;
}

struct wanted {
    const struct cache *cache;
    uint64_t position;
    uint32_t module;
};

static bool cache_is_entry(const void *user, uint32_t id)
{
    const struct wanted *wanted = user;
    const struct entry *entry = &wanted->cache->entries[id];
    return entry->position == wanted->position && entry->module == wanted->module;
}

bool cache_find(const struct cache *cache, uint32_t module, uint64_t position, const struct location **locations,
                size_t *count)
{
    if (module == 0)
        return false;
    assert(module <= cache->module_count);
    struct wanted wanted = {cache, position, module};
    uint32_t id = hash_find(&cache->set, hash_mix(module, position), cache_is_entry, &wanted);
    if (id == 0)
        return false;
    assert(id <= cache->entry_count);
    *locations = cache->entries[id].locations;
    *count = cache->entries[id].count;
    return true;
}

bool cache_add(struct cache *cache, uint32_t module, uint64_t position, const struct location *locations, size_t count)
{
    if (module == 0 || cache->entry_count == ENTRIES_MAX ||
        !cache_reserve((void **)&cache->entries, cache->entry_count, &cache->entry_capacity, sizeof *cache->entries))
        return false;
    assert(module <= cache->module_count && cache->entry_count < cache->entry_capacity);
    struct location *kept = count ? malloc(count * sizeof *kept) : NULL;
    if ((count && !kept) || hash_add(&cache->set, hash_mix(module, position), cache->entry_count + 1)) {
        free(kept);
        return false;
    }
    if (count)
        memcpy(kept, locations, count * sizeof *kept);
    cache->entries[++cache->entry_count] =
        (struct entry){.position = position, .module = module, .count = (uint32_t)count, .locations = kept};
    return true;
}
