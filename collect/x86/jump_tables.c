#include "collect/x86/jump_tables.h"

#include "collect/x86/x86_parse.h"

enum { LOAD_DISTANCE = 8, COUNT_DISTANCE = 16, NO_REGISTER = 16 };

struct look {
    const struct loops_function *function;
    const uint8_t *begins;
    uint32_t size;
};

/* Bytes of an instruction without prefixes 3E and F2, with REX separate. Beyond the function there are zeros. */
struct bytes {
    uint8_t rex, at[8];
};

static struct bytes jump_tables_bytes(const struct look *look, uint32_t at)
{
    struct bytes bytes = {0};
    const uint8_t *code = look->function->code;
    while (at < look->size && (code[at] == 0x3e || code[at] == 0xf2))
        at++;
    if (at < look->size && (code[at] & 0xf0) == 0x40)
        bytes.rex = code[at++];
    for (uint32_t i = 0; i < sizeof bytes.at; i++)
        bytes.at[i] = at + i < look->size ? code[at + i] : 0;
    return bytes;
}

static bool jump_tables_step_back(const struct look *look, uint32_t *at)
{
    while (*at > 0)
        if (look->begins[--*at] & 1)
            return true;
    return false;
}

static uint64_t jump_tables_displacement(const uint8_t *at)
{
    return (uint64_t)x86_read_signed(at, 4);
}

static unsigned jump_tables_register(const struct bytes *b)
{
    return (b->at[1] >> 3 & 7u) | (b->rex & 4u) << 1;
}

/* The base register of an operand (base, index, scale), or NO_REGISTER for a fixed address. Some need a displacement.
 */
static bool jump_tables_is_indexed(const struct bytes *b, unsigned scale, unsigned *base)
{
    unsigned mode = b->at[1] & 0xc7, low = b->at[2] & 7;
    if (b->at[2] >> 6 != scale || !(mode == 0x04 || (mode == 0x44 && b->at[3] == 0)))
        return false;
    *base = mode == 0x04 && low == 5 ? NO_REGISTER : low | (b->rex & 1u) << 3;
    return true;
}

/* The nearest preceding lea table(%rip), %base. */
static bool jump_tables_find_address(const struct look *look, uint32_t at, unsigned base, uint64_t *address)
{
    while (jump_tables_step_back(look, &at)) {
        struct bytes b = jump_tables_bytes(look, at);
        if ((b.rex & 8) && b.at[0] == 0x8d && (b.at[1] & 0xc7) == 0x05 && jump_tables_register(&b) == base) {
            *address = look->function->low + at + 7 + jump_tables_displacement(b.at + 2);
            return true;
        }
    }
    return false;
}

/* The immediate, in the last bytes, of a cmp (group 7, 3C) or an and (group 4, 24); else TABLE_ENTRIES_MAX. */
static uint64_t jump_tables_immediate(const struct look *look, uint32_t at, unsigned group, uint8_t of_al)
{
    const uint8_t *code = look->function->code + at;
    struct bytes b = jump_tables_bytes(look, at);
    struct x86_instruction one;
    bool grouped = (b.at[0] == 0x80 || b.at[0] == 0x81 || b.at[0] == 0x83) && (b.at[1] >> 3 & 7u) == group;
    if (!(grouped || b.at[0] == of_al || b.at[0] == of_al + 1) || !x86_decode(code, look->size - at, 0, &one))
        return TABLE_ENTRIES_MAX;
    return b.at[0] == 0x81 || b.at[0] == of_al + 1 ? jump_tables_displacement(code + one.length - 4)
                                                   : code[one.length - 1];
}

/* cmp $N and ja: N + 1 entries; and $N: the same. */
static bool jump_tables_find_count(const struct look *look, uint32_t at, uint32_t *count)
{
    bool above = false;
    for (unsigned i = 0; i < COUNT_DISTANCE && jump_tables_step_back(look, &at); i++) {
        struct bytes b = jump_tables_bytes(look, at);
        above = above || (b.at[0] & 0xfe) == 0x76 || (b.at[0] == 0x0f && (b.at[1] & 0xfe) == 0x86);
        uint64_t last = above ? jump_tables_immediate(look, at, 7, 0x3c) : jump_tables_immediate(look, at, 4, 0x24);
        if (last < TABLE_ENTRIES_MAX) {
            *count = (uint32_t)last + 1;
            return true;
        }
    }
    return false;
}

/* The instruction that reads the table: the jump itself, or a load of the register that it jumps to. */
static bool jump_tables_find_load(const struct look *look, uint32_t *at, struct jump_table *table, unsigned *base)
{
    struct bytes jump = jump_tables_bytes(look, *at);
    unsigned target = (jump.at[1] & 7u) | (jump.rex & 1u) << 3;
    table->width = 8;
    if (jump.at[0] != 0xff)
        return false;
    if ((jump.at[1] & 0xbf) == 0x24)
        return jump_tables_is_indexed(&jump, 3, base);
    if ((jump.at[1] & 0xf8) != 0xe0)
        return false;
    for (unsigned i = 0; i < LOAD_DISTANCE && jump_tables_step_back(look, at); i++) {
        struct bytes b = jump_tables_bytes(look, *at);
        bool offsets = b.at[0] == 0x63;
        if (!(b.rex & 8) || !(offsets || b.at[0] == 0x8b) || jump_tables_register(&b) != target)
            continue;
        table->width = offsets ? 4 : 8;
        return jump_tables_is_indexed(&b, offsets ? 2 : 3, base) && !(offsets && *base == NO_REGISTER);
    }
    return false;
}

static bool jump_tables_read_entry(const struct loops_function *function, const struct jump_table *table, uint32_t i,
                                   uint64_t *to)
{
    uint8_t bytes[8] = {0};
    uint64_t value = 0;
    if (!function->read(function->context, table->address + (uint64_t)i * table->width, bytes, table->width))
        return false;
    if (table->width == 4) {
        *to = table->address + jump_tables_displacement(bytes) - function->low;
        return true;
    }
    for (unsigned k = 0; k < 8; k++)
        value |= (uint64_t)bytes[k] << (8 * k);
    *to = value - function->low;
    return true;
}

bool jump_tables_find(const struct loops_function *function, const uint8_t *begins, uint32_t jump,
                      struct jump_table *out)
{
    struct look look = {function, begins, (uint32_t)(function->high - function->low)};
    struct jump_table table = {0};
    unsigned base;
    uint32_t at = jump;
    uint64_t to;
    if (!function->read || !jump_tables_find_load(&look, &at, &table, &base))
        return false;
    if (base == NO_REGISTER)
        table.address = jump_tables_displacement(jump_tables_bytes(&look, at).at + 3);
    else if (!jump_tables_find_address(&look, at, base, &table.address))
        return false;
    bool counted = jump_tables_find_count(&look, at, &table.count);
    if (!counted && table.width == 4)
        return false;
    /* A table of addresses may lack a count: it ends at the first address outside the function. */
    uint32_t most = counted ? table.count : TABLE_ENTRIES_MAX;
    table.count = 0;
    while (table.count < most && jump_tables_read_entry(function, &table, table.count, &to) && to < look.size)
        table.count++;
    if (table.count == 0 || (counted && table.count != most))
        return false;
    *out = table;
    return true;
}

uint32_t jump_tables_entry(const struct loops_function *function, const struct jump_table *table, uint32_t i)
{
    uint64_t to = 0;
    jump_tables_read_entry(function, table, i, &to);
    return (uint32_t)to;
}
