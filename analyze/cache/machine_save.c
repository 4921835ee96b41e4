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

static void machine_load_level(struct cache_level *level, const uint64_t numbers[5])
{
    *level = (struct cache_level){.bytes = numbers[0],
                                  .line = (unsigned)numbers[1],
                                  .ways = (unsigned)numbers[2],
                                  .latency = (unsigned)numbers[3],
                                  .replacement = (enum cache_replacement)numbers[4]};
}

/* Whether they are those of a machine. */
static bool machine_load_numbers(const uint64_t numbers[NUMBERS_OF_MACHINE], struct cache_machine *machine)
{
    const uint64_t *rest = numbers + 5 * (CACHE_LEVELS_MAX + 1);
    struct error_text unused;
    for (size_t i = 0; i < NUMBERS_OF_MACHINE; i++)
        if (numbers[i] > UINT32_MAX && i % 5 != 0)
            return false;
    for (unsigned i = 0; i < CACHE_LEVELS_MAX; i++)
        machine_load_level(&machine->levels[i], numbers + 5 * i);
    machine_load_level(&machine->instructions, numbers + 5 * CACHE_LEVELS_MAX);
    machine->level_count = (unsigned)rest[0];
    machine->tlb_entries = (unsigned)rest[1];
    machine->tlb_ways = (unsigned)rest[2];
    machine->page = (unsigned)rest[3];
    machine->walk = (unsigned)rest[4];
    machine->memory = (unsigned)rest[5];
    machine->mshrs = (unsigned)rest[6];
    machine->prefetcher = (enum cache_prefetcher)rest[7];
    machine->prefetch_level = (unsigned)rest[8];
    machine->cachegrind = rest[9];
    machine->write_allocate = rest[10];
    machine->prefetch_needs_tlb = rest[11];
    return machine->level_count <= CACHE_LEVELS_MAX && rest[7] <= CACHE_PREFETCHER_STREAM &&
           machine_check(machine, true, &unused) == STATUS_GOOD;
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
    uint64_t numbers[NUMBERS_OF_MACHINE];
    const char *name = json_string_value(json_object_get(saved, "name"));
    const json_t *list = json_object_get(saved, "numbers");
    for (size_t i = 0; i < NUMBERS_OF_MACHINE; i++) {
        const json_t *number = json_array_get(list, i);
        if (!json_is_integer(number) || json_integer_value(number) < 0)
            return false;
        numbers[i] = (uint64_t)json_integer_value(number);
    }
    if (!name || json_array_size(list) != NUMBERS_OF_MACHINE || !machine_load_numbers(numbers, &loaded))
        return false;
    snprintf(loaded.name, sizeof loaded.name, "%s", name);
    *machine = loaded;
    return true;
}
