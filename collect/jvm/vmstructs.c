/*
 * vmstructs.c - HotSpot describes its own structures in tables that it exports for the serviceability agent. They are
 * read for two things that the JVM TI has no cheap way to: where the code cache is, and the flag DebugNonSafepoints.
 */
#include "collect/jvm/agent.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The value of an exported 64-bit variable of libjvm; 0 if it exports none. */
static uint64_t vmstructs_export(const char *name)
{
    const uint64_t *address = dlsym(RTLD_DEFAULT, name);
    return address ? *address : 0;
}

static const char *vmstructs_text(const char *entry, const char *offset_name)
{
    const char *text;
    memcpy(&text, entry + vmstructs_export(offset_name), sizeof text);
    return text;
}

/* The entry of a field in gHotSpotVMStructs, or NULL. The table ends with an entry without names. */
static const char *vmstructs_field(const char *type, const char *field)
{
    const char *entry = (const char *)(uintptr_t)vmstructs_export("gHotSpotVMStructs");
    uint64_t stride = vmstructs_export("gHotSpotVMStructEntryArrayStride");
    if (!entry || !stride)
        return NULL;
    for (;; entry += stride) {
        const char *entry_type = vmstructs_text(entry, "gHotSpotVMStructEntryTypeNameOffset");
        const char *entry_field = vmstructs_text(entry, "gHotSpotVMStructEntryFieldNameOffset");
        if (!entry_type || !entry_field)
            return NULL;
        if (strcmp(entry_type, type) == 0 && strcmp(entry_field, field) == 0)
            return entry;
    }
}

void *vmstructs_static(const char *type, const char *field)
{
    const char *entry = vmstructs_field(type, field);
    if (!entry)
        return NULL;
    void *address;
    memcpy(&address, entry + vmstructs_export("gHotSpotVMStructEntryAddressOffset"), sizeof address);
    return address;
}

long vmstructs_offset(const char *type, const char *field)
{
    const char *entry = vmstructs_field(type, field);
    if (!entry)
        return -1;
    uint64_t offset;
    memcpy(&offset, entry + vmstructs_export("gHotSpotVMStructEntryOffsetOffset"), sizeof offset);
    return (long)offset;
}

size_t vmstructs_size(const char *type)
{
    const char *entry = (const char *)(uintptr_t)vmstructs_export("gHotSpotVMTypes");
    uint64_t stride = vmstructs_export("gHotSpotVMTypeEntryArrayStride");
    if (!entry || !stride)
        return 0;
    for (;; entry += stride) {
        const char *name = vmstructs_text(entry, "gHotSpotVMTypeEntryTypeNameOffset");
        if (!name)
            return 0;
        if (strcmp(name, type) != 0)
            continue;
        uint64_t size;
        memcpy(&size, entry + vmstructs_export("gHotSpotVMTypeEntrySizeOffset"), sizeof size);
        return (size_t)size;
    }
}

/* The JVMFlag with this name, or NULL. */
static char *vmstructs_flag(const char *flag)
{
    char **flags = vmstructs_static("JVMFlag", "flags");
    const size_t *count = vmstructs_static("JVMFlag", "numFlags");
    size_t size = vmstructs_size("JVMFlag");
    long name = vmstructs_offset("JVMFlag", "_name");
    if (!flags || !*flags || !count || !size || name < 0)
        return NULL;
    for (size_t i = 0; i < *count; i++) {
        char *entry = *flags + i * size;
        const char *text;
        memcpy(&text, entry + name, sizeof text);
        if (text && strcmp(text, flag) == 0)
            return entry;
    }
    return NULL;
}

bool vmstructs_switch_on(const char *flag)
{
    char *entry = vmstructs_flag(flag);
    long address = vmstructs_offset("JVMFlag", "_addr"), origin = vmstructs_offset("JVMFlag", "_flags");
    if (!entry || address < 0 || origin < 0)
        return false;
    bool *value;
    uint32_t bits;
    memcpy(&value, entry + address, sizeof value);
    memcpy(&bits, entry + origin, sizeof bits);
    /* The low four bits say who set it; 0 is the default. What the user asked for stays. */
    if (value && (bits & 15) == 0)
        *value = true;
    return value && *value;
}
