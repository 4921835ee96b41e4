/*
 * perfdata.c - the JVM's own counters (which jcmd PID PerfCounter.print prints): time in safepoints, in
 * loading classes, in compiling. It keeps these in a file that it has mapped; the entries are found by their names,
 * once.
 */
#include "collect/jvm/agent.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "collect/methods/methods.h"

enum { MAGIC = 0xcafec0c0u, LINE_MAX_BYTES = 512 };

/* The file's beginning, and an entry's; offsets are from the start of the entry. */
struct prologue {
    uint32_t magic; /* big-endian */
    uint8_t byte_order, major, minor, accessible;
    int32_t used, overflow;
    int64_t modified;
    int32_t first, count;
};
struct entry {
    int32_t length, name, vector;
    uint8_t type, flags, units, variability;
    int32_t data;
};

static const char *const names[VM_COUNT] = {
    [VM_SAFEPOINT] = "sun.rt.safepointTime",   [VM_SAFEPOINT_SYNC] = "sun.rt.safepointSyncTime",
    [VM_CLASS_LOAD] = "sun.cls.time",          [VM_CLASS_VERIFY] = "sun.cls.classVerifyTime",
    [VM_CLASS_INIT] = "sun.cls.classInitTime", [VM_CLASSES] = "java.cls.loadedClasses",
    [VM_COMPILE] = "java.ci.totalTime",
};

static struct {
    const char *values[VM_COUNT]; /* NULL: not kept by this JVM */
    double ns_per_tick;
} own;

/* Address of the mapped file; 0: not mapped (-XX:-UsePerfData). */
static uintptr_t find_mapping(size_t *size)
{
    char line[LINE_MAX_BYTES];
    unsigned long low = 0, high = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    bool found = false;
    while (maps && !found && fgets(line, sizeof line, maps))
        found = strstr(line, "/hsperfdata_") && sscanf(line, "%lx-%lx", &low, &high) == 2;
    if (maps)
        fclose(maps);
    *size = found ? high - low : 0;
    return found ? low : 0;
}

static int64_t value_at(const char *address)
{
    int64_t value;
    memcpy(&value, address, sizeof value);
    return value;
}

/* An entry with one 64-bit number, if it is a wanted one, or the ticks per second. */
static void meet(const char *at, const struct entry *entry)
{
    const char *name = at + entry->name, *value = at + entry->data;
    if (entry->type != 'J' || entry->vector != 0)
        return;
    if (strcmp(name, "sun.os.hrt.frequency") == 0 && value_at(value) > 0)
        own.ns_per_tick = 1e9 / (double)value_at(value);
    for (size_t i = 0; i < VM_COUNT; i++)
        if (names[i] && strcmp(name, names[i]) == 0)
            own.values[i] = value;
}

/* Some entries are created only after the JVM is live. */
static void find_values(void)
{
    size_t size, at;
    const char *base = (const char *)find_mapping(&size); /* NOLINT */
    struct prologue prologue;
    struct entry entry;
    if (!base || size < sizeof prologue)
        return;
    memcpy(&prologue, base, sizeof prologue);
    if (be32toh(prologue.magic) != MAGIC || prologue.major != 2 || prologue.byte_order != 1 || prologue.first <= 0)
        return;
    at = (size_t)prologue.first;
    for (int32_t i = 0; i < prologue.count && at + sizeof entry <= size; i++, at += (size_t)entry.length) {
        memcpy(&entry, base + at, sizeof entry);
        if (entry.length <= (int32_t)sizeof entry || at + (size_t)entry.length > size)
            break;
        meet(base + at, &entry);
    }
}

static void write_value(struct trace_stream *stream, uint64_t now, enum trace_vm what, uint64_t value)
{
    uint64_t record[] = {[VM_TIME] = now, [VM_WHAT] = what, [VM_VALUE] = value};
    trace_append(stream, TRACE_VM, record, sizeof record / sizeof *record);
}

void perfdata_write(uint64_t rewrite_ns)
{
    struct trace_stream *stream;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    find_values();
    if (trace_stream_open(sampler_writer(), 0, "[virtual machine]", ROLE_VM, &stream) != 0)
        return;
    for (enum trace_vm i = 0; own.ns_per_tick > 0 && i < VM_COUNT; i++)
        if (own.values[i])
            write_value(stream, now, i,
                        (uint64_t)((double)value_at(own.values[i]) * (i == VM_CLASSES ? 1 : own.ns_per_tick)));
    methods_tell_cost(stream, rewrite_ns);
}
