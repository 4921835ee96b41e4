/*
 * blob.c - which compiled method a program counter is in, from HotSpot's code heaps; for places where AsyncGetCallTrace
 * fails, because the method's frame is not yet set up or already removed.
 *
 * A code heap is cut into segments. Its segment map has a byte for each: 255 if unused, else the number of segments to
 * go back, 0 at the first of a block. A block is a header followed by a code blob; a compiled method's blob refers to
 * its Method, which refers to its class, which refers to the existing jmethodIDs.
 */
#include "collect/agents/jvm/agent.h"

#include <string.h>

enum { SEGMENT_FREE = 255, HEAPS_MAX = 8 };

struct blob_heap {
    uintptr_t low, high, map;
    int segment_shift;
};

static struct {
    struct blob_heap heaps[HEAPS_MAX];
    size_t heap_count, block_header, const_bytes;
    long blob_name, blob_frame, blob_method, method_const, const_pool, const_idnum, const_length, pool_holder,
        class_ids;
    /* The entry of a method: older JVMs have the address, others its offset from the code, and that of the code from
     * the blob. */
    long entry_address, code_offset, entry_offset;
    atomic_bool known;
} blob;

static uintptr_t blob_load_word(uintptr_t base, long offset)
{
    uintptr_t word;
    memcpy(&word, (const char *)base + offset, sizeof word); /* NOLINT: an address in the JVM */
    return word;
}

/* The offset of the first of two fields that this JVM has. */
static long blob_offset_in_either(const char *type, const char *other, const char *field)
{
    long offset = vmstructs_offset(type, field);
    return offset >= 0 ? offset : vmstructs_offset(other, field);
}

void blob_init(void)
{
    blob.entry_address = vmstructs_offset("nmethod", "_verified_entry_point");
    blob.code_offset = vmstructs_offset("CodeBlob", "_code_offset");
    blob.entry_offset = vmstructs_offset("nmethod", "_verified_entry_offset");
    blob.block_header = vmstructs_size("HeapBlock");
    blob.blob_name = vmstructs_offset("CodeBlob", "_name");
    blob.blob_frame = vmstructs_offset("CodeBlob", "_frame_size");
    blob.blob_method = blob_offset_in_either("nmethod", "CompiledMethod", "_method");
    blob.method_const = vmstructs_offset("Method", "_constMethod");
    blob.const_pool = vmstructs_offset("ConstMethod", "_constants");
    blob.const_idnum = vmstructs_offset("ConstMethod", "_method_idnum");
    blob.const_length = vmstructs_offset("ConstMethod", "_code_size");
    blob.const_bytes = vmstructs_size("ConstMethod");
    blob.pool_holder = vmstructs_offset("ConstantPool", "_pool_holder");
    blob.class_ids = vmstructs_offset("InstanceKlass", "_methods_jmethod_ids");
    bool whole = blob.block_header && blob.blob_name >= 0 && blob.blob_frame >= 0 && blob.blob_method >= 0 &&
                 blob.method_const >= 0 && blob.const_pool >= 0 && blob.const_idnum >= 0 && blob.pool_holder >= 0 &&
                 blob.class_ids >= 0;
    /* A code heap never moves once it is reserved. */
    const uintptr_t *array = vmstructs_static("CodeCache", "_heaps");
    long length = blob_offset_in_either("GrowableArrayBase", "GenericGrowableArray", "_len");
    long data = vmstructs_offset("GrowableArray<int>", "_data");
    long memory = vmstructs_offset("CodeHeap", "_memory"), map = vmstructs_offset("CodeHeap", "_segmap");
    long shift = vmstructs_offset("CodeHeap", "_log2_segment_size");
    long low = vmstructs_offset("VirtualSpace", "_low_boundary");
    long high = vmstructs_offset("VirtualSpace", "_high_boundary");
    whole = whole && array && *array && length >= 0 && data >= 0 && memory >= 0 && map >= 0 && shift >= 0 && low >= 0 &&
            high >= 0;
    int count = whole ? (int)(uint32_t)blob_load_word(*array, length) : 0;
    for (int i = 0; i < count && i < HEAPS_MAX; i++) {
        uintptr_t heap = blob_load_word(blob_load_word(*array, data), i * (long)sizeof heap);
        blob.heaps[blob.heap_count++] = (struct blob_heap){.low = blob_load_word(heap, memory + low),
                                                           .high = blob_load_word(heap, memory + high),
                                                           .map = blob_load_word(heap, map + low),
                                                           .segment_shift = (int)(uint32_t)blob_load_word(heap, shift)};
    }
    atomic_store(&blob.known, whole && blob.heap_count > 0);
}

/* The code blob around pc; 0 if there is none. */
static uintptr_t blob_find(uintptr_t pc)
{
    for (size_t i = 0; i < blob.heap_count; i++) {
        const struct blob_heap *heap = &blob.heaps[i];
        if (pc < heap->low || pc >= heap->high)
            continue;
        const unsigned char *map = (const unsigned char *)heap->map; /* NOLINT: an address in the JVM */
        size_t segment = (pc - heap->low) >> heap->segment_shift;
        if (map[segment] == SEGMENT_FREE)
            return 0;
        while (map[segment] > 0)
            segment -= map[segment];
        return heap->low + (segment << heap->segment_shift) + blob.block_header;
    }
    return 0;
}

static bool blob_is_method(uintptr_t around, bool *native)
{
    const char *name = (const char *)blob_load_word(around, blob.blob_name); /* NOLINT: an address in the JVM */
    bool wrapper = strcmp(name, "native nmethod") == 0;
    if (native)
        *native = wrapper;
    return wrapper || strcmp(name, "nmethod") == 0;
}

/* The jmethodIDs of a class: their number, then one for each method's number. */
static uint64_t blob_method_id(uintptr_t method)
{
    uintptr_t constant = blob_load_word(method, blob.method_const);
    uintptr_t class = blob_load_word(blob_load_word(constant, blob.const_pool), blob.pool_holder);
    uintptr_t ids = blob_load_word(class, blob.class_ids);
    size_t number = (uint16_t)blob_load_word(constant, blob.const_idnum);
    if (!ids || number >= blob_load_word(ids, 0))
        return 0;
    return blob_load_word(ids, (long)((number + 1) * sizeof ids));
}

static size_t blob_frame_bytes(uintptr_t around)
{
    int words = (int)(uint32_t)blob_load_word(around, blob.blob_frame);
    return words > 0 ? (size_t)words * sizeof(uintptr_t) : 0;
}

bool blob_entry(uintptr_t pc, uintptr_t *entry, size_t *frame_bytes)
{
    uintptr_t around = atomic_load(&blob.known) ? blob_find(pc) : 0;
    if (!around || !blob_is_method(around, NULL))
        return false;
    if (blob.entry_address >= 0)
        *entry = blob_load_word(around, blob.entry_address);
    else if (blob.code_offset >= 0 && blob.entry_offset >= 0)
        *entry = around + (uint32_t)blob_load_word(around, blob.code_offset) +
                 (uint16_t)blob_load_word(around, blob.entry_offset);
    else
        return false;
    *frame_bytes = blob_frame_bytes(around);
    return true;
}

size_t blob_stub_frame(uintptr_t pc)
{
    if (!atomic_load(&blob.known))
        return 0;
    uintptr_t around = blob_find(pc);
    if (!around || blob_is_method(around, NULL))
        return 0;
    return blob_frame_bytes(around);
}

bool blob_method(uintptr_t pc, struct trace_raw_frame *frame)
{
    sigjmp_buf jump;
    if (!atomic_load(&blob.known))
        return false;
    if (sigsetjmp(jump, 0)) {
        guard_caught();
        return false;
    }
    guard_jump = &jump;
    uintptr_t around = blob_find(pc);
    bool native = false, compiled = around && blob_is_method(around, &native);
    if (compiled)
        *frame = (struct trace_raw_frame){blob_method_id(blob_load_word(around, blob.blob_method)), native ? -3 : -1};
    guard_jump = NULL;
    return compiled && frame->code;
}

bool blob_method_at(uintptr_t method, struct trace_raw_frame *frame)
{
    sigjmp_buf jump;
    if (!atomic_load(&blob.known) || method == 0 || method % sizeof method)
        return false;
    if (sigsetjmp(jump, 0)) {
        guard_caught();
        return false;
    }
    guard_jump = &jump;
    uint64_t id = blob_method_id(method);
    /* A jmethodID is the address of a word that holds its Method: anything else only looks like a method. */
    bool good = id && id % sizeof method == 0 && blob_load_word(id, 0) == method;
    guard_jump = NULL;
    if (good)
        *frame = (struct trace_raw_frame){id, -1};
    return good;
}

/* A method's bytecodes follow its ConstMethod. */
int64_t blob_bytecode(uint64_t method_id, uintptr_t address)
{
    sigjmp_buf jump;
    if (!atomic_load(&blob.known) || blob.const_length < 0 || !blob.const_bytes || method_id % sizeof method_id)
        return -1;
    if (sigsetjmp(jump, 0)) {
        guard_caught();
        return -1;
    }
    guard_jump = &jump;
    uintptr_t constant = blob_load_word(blob_load_word(method_id, 0), blob.method_const);
    uintptr_t first = constant + blob.const_bytes;
    size_t length = (uint16_t)blob_load_word(constant, blob.const_length);
    guard_jump = NULL;
    return address >= first && address - first < length ? (int64_t)(address - first) : -1;
}
