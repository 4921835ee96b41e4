/* Machines as JSON, and compared. */
#include <stdio.h>
#include <string.h>

#include "analyze/cache/machine_parts.h"

enum { NUMBERS_OF_MACHINE = 5 * (CACHE_LEVELS_MAX + 1) + 12 };

/* What makes a machine, as numbers: its name is not among them. */
static void machine_save_numbers(const struct cache_machine *machine, uint64_t numbers[NUMBERS_OF_MACHINE])
{
    size_t count = 0;
    for (unsigned i = 0; i <= CACHE_LEVELS_MAX; i++) {
        const struct cache_level *level = i < CACHE_LEVELS_MAX ? &machine->levels[i] : &machine->instructions;
        const uint64_t own[] = {level->bytes, level->line, level->ways, level->latency, level->replacement};
        for (size_t n = 0; n < sizeof own / sizeof *own; n++)
            numbers[count++] = own[n];
    }
    const uint64_t rest[] = {machine->level_count, machine->tlb_entries,    machine->tlb_ways,
                             machine->page,        machine->walk,           machine->memory,
                             machine->mshrs,       machine->prefetcher,     machine->prefetch_level,
                             machine->cachegrind,  machine->write_allocate, machine->prefetch_needs_tlb};
    for (size_t n = 0; n < sizeof rest / sizeof *rest; n++)
        numbers[count++] = rest[n];
}

bool cache_machine_same(const struct cache_machine *a, const struct cache_machine *b)
{
    uint64_t left[NUMBERS_OF_MACHINE], right[NUMBERS_OF_MACHINE];
    machine_save_numbers(a, left);
    machine_save_numbers(b, right);
    return memcmp(left, right, sizeof left) == 0;
}

json_t *cache_machine_save(const struct cache_machine *machine)
{
    uint64_t numbers[NUMBERS_OF_MACHINE];
    json_t *list = json_array();
    bool good = true;
    machine_save_numbers(machine, numbers);
    for (size_t i = 0; i < NUMBERS_OF_MACHINE && good; i++)
        good = json_array_append_new(list, json_integer((json_int_t)numbers[i])) == 0;
    if (good)
        return json_pack("{s:s, s:o}", "name", machine->name, "numbers", list);
    json_decref(list);
    return NULL;
}

bool cache_machine_load(struct cache_machine *machine, const json_t *saved)
{
    struct cache_machine loaded = {0};
    struct error_text unused;
    uint64_t numbers[NUMBERS_OF_MACHINE];
    const char *name = json_string_value(json_object_get(saved, "name"));
    const json_t *list = json_object_get(saved, "numbers");
    for (size_t i = 0; i < NUMBERS_OF_MACHINE; i++) {
        const json_t *number = json_array_get(list, i);
        if (!json_is_integer(number) || json_integer_value(number) < 0 ||
            (json_integer_value(number) > UINT32_MAX && i % 5 != 0))
            return false;
        numbers[i] = (uint64_t)json_integer_value(number);
    }
    if (!name || json_array_size(list) != NUMBERS_OF_MACHINE)
        return false;
    const uint64_t *next = numbers;
    for (unsigned i = 0; i <= CACHE_LEVELS_MAX; i++, next += 5)
        *(i < CACHE_LEVELS_MAX ? &loaded.levels[i] : &loaded.instructions) =
            (struct cache_level){.bytes = next[0],
                                 .line = (unsigned)next[1],
                                 .ways = (unsigned)next[2],
                                 .latency = (unsigned)next[3],
                                 .replacement = (enum cache_replacement)next[4]};
    loaded.level_count = (unsigned)next[0];
    loaded.tlb_entries = (unsigned)next[1];
    loaded.tlb_ways = (unsigned)next[2];
    loaded.page = (unsigned)next[3];
    loaded.walk = (unsigned)next[4];
    loaded.memory = (unsigned)next[5];
    loaded.mshrs = (unsigned)next[6];
    loaded.prefetcher = (enum cache_prefetcher)next[7];
    loaded.prefetch_level = (unsigned)next[8];
    loaded.cachegrind = next[9];
    loaded.write_allocate = next[10];
    loaded.prefetch_needs_tlb = next[11];
    snprintf(loaded.name, sizeof loaded.name, "%s", name);
    bool valid = loaded.level_count <= CACHE_LEVELS_MAX && next[7] <= CACHE_PREFETCHER_STREAM &&
                 machine_check(&loaded, true, &unused) == STATUS_GOOD;
    if (valid)
        *machine = loaded;
    return valid;
}
