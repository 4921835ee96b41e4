#include <limits.h>
#include <string.h>

#include "analyze/cache/machine_parts.h"
#include "base/quantity.h"

enum { NUMBERS_MAX = 4, PART_BYTES = 64 };

/* "D1=32K,8,64" */
struct part {
    char text[PART_BYTES]; /* with NUL for '=' */
    const char *name;
    uint64_t numbers[NUMBERS_MAX];
    unsigned count; /* of numbers */
};

/* "32K": K is 1024, as is usual for sizes of caches. */
static bool machine_text_parse_number(const char *text, uint64_t *number)
{
    static const char SUFFIXES[] = "KMG";
    char digits[32];
    size_t length = strlen(text);
    const char *suffix = length > 1 ? strchr(SUFFIXES, text[length - 1]) : NULL;
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, text, length + 1);
    if (suffix)
        digits[length - 1] = '\0';
    unsigned shift = suffix ? 10 * (unsigned)(suffix - SUFFIXES + 1) : 0;
    uint64_t value;
    if (!quantity_count(digits, &value) || value > UINT64_C(1) << 40 >> shift)
        return false;
    *number = value << shift;
    return true;
}

/* A part of `length` bytes. */
static int machine_text_parse_part(const char *text, size_t length, struct part *part, struct error_text *message)
{
    *part = (struct part){.name = part->text};
    if (length >= sizeof part->text)
        return error_set(message, STATUS_BAD, "'%.100s' is too long", text);
    memcpy(part->text, text, length);
    char *equals = strchr(part->text, '=');
    if (!equals)
        return error_set(message, STATUS_BAD, "'%s' is not a level as D1=32K,8,64", part->text);
    *equals = '\0';
    for (char *rest = equals + 1, *word; (word = strsep(&rest, ",")) != NULL;) {
        if (part->count == NUMBERS_MAX)
            return error_set(message, STATUS_BAD, "%s has more than %d numbers", part->name, NUMBERS_MAX);
        if (!machine_text_parse_number(word, &part->numbers[part->count]))
            return error_set(message, STATUS_BAD, "%s: '%s' is not a number as 64 or 32K", part->name, word);
        if (part->count > 0 && part->numbers[part->count] > INT_MAX)
            return error_set(message, STATUS_BAD, "%s: %s is too large", part->name, word);
        part->count++;
    }
    if (part->count < 3)
        return error_set(message, STATUS_BAD, "%s needs three numbers, as in %s", part->name,
                         strcmp(part->name, "TLB") == 0 ? "TLB=64,4,4K (entries, ways, page)"
                                                        : "D1=32K,8,64 (size, ways, line)");
    return STATUS_GOOD;
}

/* The usual latency of a level that has none in its text. */
static void machine_text_set_level(const struct part *part, unsigned latency, struct cache_level *level)
{
    *level = (struct cache_level){.bytes = part->numbers[0],
                                  .ways = (unsigned)part->numbers[1],
                                  .line = (unsigned)part->numbers[2],
                                  .latency = part->count > 3 ? (unsigned)part->numbers[3] : latency};
}

/* Levels come in their order: D1, then L2 and L3, of which LL may be the last. */
static int machine_text_set_part(const struct part *part, struct cache_machine *machine, bool *last,
                                 struct error_text *message)
{
    static const char *const LEVELS[CACHE_LEVELS_MAX] = {"D1", "L2", "L3"};
    static const unsigned LATENCIES[CACHE_LEVELS_MAX] = {4, 14, 50};
    unsigned next = machine->level_count;
    bool is_last = strcmp(part->name, "LL") == 0 && next > 0;
    if (strcmp(part->name, "TLB") == 0 && machine->tlb_entries == 0) {
        machine->tlb_entries = part->numbers[0] > UINT_MAX ? UINT_MAX : (unsigned)part->numbers[0];
        machine->tlb_ways = (unsigned)part->numbers[1];
        machine->page = (unsigned)part->numbers[2];
        if (part->count > 3)
            machine->walk = (unsigned)part->numbers[3];
    } else if (strcmp(part->name, "I1") == 0 && machine->instructions.bytes == 0) {
        machine_text_set_level(part, LATENCIES[0], &machine->instructions);
    } else if (!*last && next < CACHE_LEVELS_MAX && (is_last || strcmp(part->name, LEVELS[next]) == 0)) {
        machine_text_set_level(part, LATENCIES[next], &machine->levels[machine->level_count++]);
        *last = is_last;
    } else {
        return error_set(message, STATUS_BAD,
                         "%s can't come here: levels are D1, L2, L3 in this order, of which LL may be the last, and "
                         "once I1 and TLB",
                         part->name);
    }
    if (part->numbers[0] == 0)
        return error_set(message, STATUS_BAD, "%s has the size 0", part->name);
    return STATUS_GOOD;
}

int machine_text_parse(const char *text, struct cache_machine *machine, struct error_text *message)
{
    struct part part;
    bool last = false;
    int status = STATUS_GOOD;
    for (const char *rest = text; rest && status == STATUS_GOOD;) {
        size_t length = strcspn(rest, ":");
        status = machine_text_parse_part(rest, length, &part, message);
        if (status == STATUS_GOOD)
            status = machine_text_set_part(&part, machine, &last, message);
        rest = rest[length] ? rest + length + 1 : NULL;
    }
    return status;
}
