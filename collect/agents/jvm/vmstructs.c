/*
 * vmstructs.c - HotSpot describes its own structures in tables that it exports for the serviceability agent. They are
 * read where the JVM TI offers no way, or no cheap one: the flag DebugNonSafepoints, the code heaps, a thread's anchor.
 */
#include "collect/agents/jvm/agent.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* One of HotSpot's tables: entries of `stride` bytes with words at these offsets; it ends with an entry without a name.
 */
struct vmstructs_table {
    const char *entries;
    uint64_t stride, type, field, address, offset, size;
};

/* The value of an exported 64-bit variable of libjvm; 0 if it exports none. */
static uint64_t vmstructs_read_export(const char *prefix, const char *name)
{
    char symbol[64];
    snprintf(symbol, sizeof symbol, "gHotSpotVM%s%s", prefix, name);
    const uint64_t *address = dlsym(RTLD_DEFAULT, symbol);
    return address ? *address : 0;
}

/* Looked up once, since looking up a symbol by name takes microseconds, and the tables have thousands of entries. */
static const struct vmstructs_table *vmstructs_fields(void)
{
    static struct vmstructs_table table;
    if (!table.stride) {
        table = (struct vmstructs_table){.entries = (const char *)(uintptr_t)vmstructs_read_export("Structs", ""),
                                         .type = vmstructs_read_export("StructEntry", "TypeNameOffset"),
                                         .field = vmstructs_read_export("StructEntry", "FieldNameOffset"),
                                         .address = vmstructs_read_export("StructEntry", "AddressOffset"),
                                         .offset = vmstructs_read_export("StructEntry", "OffsetOffset"),
                                         .stride = vmstructs_read_export("StructEntry", "ArrayStride")};
    }
    return &table;
}

static uint64_t vmstructs_load_word(const char *entry, uint64_t offset)
{
    uint64_t word;
    memcpy(&word, entry + offset, sizeof word);
    return word;
}

static const char *vmstructs_text(const char *entry, uint64_t offset)
{
    return (const char *)(uintptr_t)vmstructs_load_word(entry, offset); /* NOLINT: a string in libjvm */
}

/* The entry of a field, or NULL. */
static const char *vmstructs_find_field(const char *type, const char *field)
{
    const struct vmstructs_table *table = vmstructs_fields();
    if (!table->entries || !table->stride)
        return NULL;
    for (const char *entry = table->entries;; entry += table->stride) {
        const char *entry_type = vmstructs_text(entry, table->type);
        const char *entry_field = vmstructs_text(entry, table->field);
        if (!entry_type || !entry_field)
            return NULL;
        if (strcmp(entry_type, type) == 0 && strcmp(entry_field, field) == 0)
            return entry;
    }
}

void *vmstructs_static(const char *type, const char *field)
{
    const char *entry = vmstructs_find_field(type, field);
    return entry ? (void *)(uintptr_t)vmstructs_load_word(entry, vmstructs_fields()->address) : NULL; /* NOLINT */
}

long vmstructs_offset(const char *type, const char *field)
{
    const char *entry = vmstructs_find_field(type, field);
    return entry ? (long)vmstructs_load_word(entry, vmstructs_fields()->offset) : -1;
}

size_t vmstructs_size(const char *type)
{
    static struct vmstructs_table table;
    if (!table.stride) {
        table = (struct vmstructs_table){.entries = (const char *)(uintptr_t)vmstructs_read_export("Types", ""),
                                         .type = vmstructs_read_export("TypeEntry", "TypeNameOffset"),
                                         .size = vmstructs_read_export("TypeEntry", "SizeOffset"),
                                         .stride = vmstructs_read_export("TypeEntry", "ArrayStride")};
    }
    if (!table.entries || !table.stride)
        return 0;
    for (const char *entry = table.entries;; entry += table.stride) {
        const char *name = vmstructs_text(entry, table.type);
        if (!name || strcmp(name, type) == 0)
            return name ? (size_t)vmstructs_load_word(entry, table.size) : 0;
    }
}

bool vmstructs_switch_on(const char *flag)
{
    char **flags = vmstructs_static("JVMFlag", "flags"), *entry = NULL;
    const size_t *count = vmstructs_static("JVMFlag", "numFlags");
    size_t size = vmstructs_size("JVMFlag");
    long name = vmstructs_offset("JVMFlag", "_name"), address = vmstructs_offset("JVMFlag", "_addr");
    long origin = vmstructs_offset("JVMFlag", "_flags");
    if (!flags || !*flags || !count || !size || name < 0 || address < 0 || origin < 0)
        return false;
    for (size_t i = 0; i < *count && !entry; i++) {
        const char *text;
        memcpy(&text, *flags + i * size + name, sizeof text);
        if (text && strcmp(text, flag) == 0)
            entry = *flags + i * size;
    }
    if (!entry)
        return false;
    bool *value;
    uint32_t bits;
    memcpy(&value, entry + address, sizeof value);
    memcpy(&bits, entry + origin, sizeof bits);
    /* The low four bits say who set it; 0 is the default. The user's setting is kept. */
    if (value && (bits & 15) == 0)
        *value = true;
    return value && *value;
}
