#include "collect/exact/tool/state/hash_table.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

void hash_table_init(struct hash_table *table, const HChar *name)
{
    table->name = name;
    table->mask = 1023;
    table->count = 0;
    table->entries = VG_(calloc)(name, table->mask + 1, sizeof *table->entries);
}

static struct hash_table_entry *hash_table_slot(const struct hash_table *table, ULong a, ULong b)
{
    ULong mixed = (a ^ (b * 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL;
    ULong i = (mixed ^ mixed >> 32) & table->mask;
    while (table->entries[i].value && (table->entries[i].a != a || table->entries[i].b != b))
        i = (i + 1) & table->mask;
    return &table->entries[i];
}

UInt hash_table_find(const struct hash_table *table, ULong a, ULong b)
{
    return hash_table_slot(table, a, b)->value;
}

UInt *hash_table_at(struct hash_table *table, ULong a, ULong b)
{
    struct hash_table_entry *entry = hash_table_slot(table, a, b);
    if (entry->value)
        return &entry->value;
    if (table->count >= table->mask / 2) {
        struct hash_table old = *table;
        table->mask = old.mask * 2 + 1;
        table->entries = VG_(calloc)(old.name, table->mask + 1, sizeof *table->entries);
        for (ULong i = 0; i <= old.mask; i++)
            if (old.entries[i].value)
                *hash_table_slot(table, old.entries[i].a, old.entries[i].b) = old.entries[i];
        VG_(free)(old.entries);
        entry = hash_table_slot(table, a, b);
    }
    entry->a = a;
    entry->b = b;
    table->count++;
    return &entry->value;
}
