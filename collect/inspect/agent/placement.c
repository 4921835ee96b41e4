/*
 * placement.c - where HotSpot has the parts of objects: what it shows to Java code (constants and methods of Unsafe)
 * and debuggers (addresses.h), and what ids of fields hold, which is compared with what Unsafe says of known fields.
 */
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collect/rewrite/addresses.h"
#include "collect/inspect/agent/agent.h"

static struct placement own;

const struct placement *placement_get(void)
{
    return &own;
}

/* ------------------------------------------------------------------------------------------ addresses -- */

/* A local reference points to the address. The address from ZGC before JDK 21 has bits of the
 * collector's. */
uint64_t placement_address(jobject local)
{
    uint64_t address, mask = addresses_fact(ADDRESSES_MASK);
    memcpy(&address, (const void *)local, sizeof address);
    return mask && address ? (address & mask) | addresses_fact(ADDRESSES_VIEW) : address;
}

/* Reads this process's memory, which need not be there. */
static bool placement_read_memory(uint64_t address, void *to, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)address, bytes}; /* NOLINT */
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

/* References of Z have bits of the collector's: before JDK 21 above the address, and since then below it, 13 to 16 as
 * one of the bits 12 to 15 says. Others may be compressed. */
bool placement_read(uint64_t address, uint32_t bytes, bool reference, uint64_t *value)
{
    uint64_t word = 0, mask = addresses_fact(ADDRESSES_MASK);
    if (bytes > sizeof word || !placement_read_memory(address, &word, bytes))
        return false;
    if (reference && word && bytes == 4) {
        word = addresses_fact(ADDRESSES_BASE) + (word << addresses_fact(ADDRESSES_SHIFT));
    } else if (reference && word && addresses_fact(ADDRESSES_COLORED)) {
        unsigned which = word >> 12 & 15;
        word >>= 13 + (which >> 1) - (which >> 3);
    } else if (reference && word && mask) {
        word = (word & mask) | addresses_fact(ADDRESSES_VIEW);
    }
    *value = word;
    return true;
}

/* ------------------------------------------------------------------------------------------ arrays -- */

/* A constant of Unsafe, an int or (since Java 25) a long; 0: there is none. */
static uint32_t placement_unsafe_constant(JNIEnv *env, jclass unsafe, const char *name)
{
    jfieldID id = (*env)->GetStaticFieldID(env, unsafe, name, "I");
    if (id)
        return (uint32_t)(*env)->GetStaticIntField(env, unsafe, id);
    (*env)->ExceptionClear(env);
    id = (*env)->GetStaticFieldID(env, unsafe, name, "J");
    if (id)
        return (uint32_t)(*env)->GetStaticLongField(env, unsafe, id);
    (*env)->ExceptionClear(env);
    return 0;
}

static bool placement_find_elements(JNIEnv *env, jclass unsafe)
{
    static const struct {
        char type;
        const char *name;
    } ARRAYS[] = {{'B', "ARRAY_BYTE_BASE_OFFSET"},   {'C', "ARRAY_CHAR_BASE_OFFSET"},  {'S', "ARRAY_SHORT_BASE_OFFSET"},
                  {'I', "ARRAY_INT_BASE_OFFSET"},    {'J', "ARRAY_LONG_BASE_OFFSET"},  {'F', "ARRAY_FLOAT_BASE_OFFSET"},
                  {'D', "ARRAY_DOUBLE_BASE_OFFSET"}, {'L', "ARRAY_OBJECT_BASE_OFFSET"}};
    bool good = true;
    for (size_t i = 0; i < sizeof ARRAYS / sizeof *ARRAYS; i++) {
        uint32_t at = placement_unsafe_constant(env, unsafe, ARRAYS[i].name);
        own.heap.elements[(unsigned char)ARRAYS[i].type] = at;
        good = good && at > 0;
    }
    own.heap.reference_bytes = placement_unsafe_constant(env, unsafe, "ARRAY_OBJECT_INDEX_SCALE");
    return good && (own.heap.reference_bytes == 4 || own.heap.reference_bytes == 8);
}

/* The length is the word of the header that holds it; and the elements must be where they should be. */
static bool placement_find_length(JNIEnv *env)
{
    enum { LENGTH = 12345, MARK = 0x5a17c0de, HEADER_MAX = 64, TRIES = 3 };
    uint32_t elements = own.heap.elements['I'], words[HEADER_MAX / 4], mark = 0;
    bool good = false;
    for (int try = 0; try < TRIES && !good && elements <= HEADER_MAX; try++) {
        jintArray array = (*env)->NewIntArray(env, LENGTH);
        const jint value = MARK;
        if (!array)
            break;
        (*env)->SetIntArrayRegion(env, array, 1, 1, &value);
        uint64_t address = placement_address(array);
        good = placement_read_memory(address, words, elements) &&
               placement_read_memory(address + elements + 4, &mark, sizeof mark) && mark == MARK;
        for (uint32_t at = 8; good && at < elements; at += 4)
            if (words[at / 4] == LENGTH)
                own.heap.length = at;
        (*env)->DeleteLocalRef(env, array);
    }
    (*env)->ExceptionClear(env);
    return good && own.heap.length > 0;
}

/* ------------------------------------------------------------------------------------------ fields -- */

/* HotSpot's id of a field that is not static has its offset above two bits; that of a static one points to a structure
 * that holds the offset. */
enum { OFFSET_SHIFT = 2, STRUCTURE_BYTES = 32 };

uint32_t placement_offset(jfieldID id, bool is_static)
{
    uint32_t offset;
    if (!is_static)
        return (uint32_t)((uintptr_t)id >> OFFSET_SHIFT);
    memcpy(&offset, (const char *)id + own.static_at, sizeof offset);
    return offset;
}

/* A field whose class and type are always loaded. */
struct probe {
    const char *class, *name, *type;
    bool is_static;
};

static const struct probe PROBES[] = {
    {"java/lang/String", "value", "[B", false},
    {"java/lang/String", "hash", "I", false},
    {"java/lang/Integer", "value", "I", false},
    {"java/lang/Long", "value", "J", false},
    {"java/lang/Thread", "name", "Ljava/lang/String;", false},
    {"java/lang/Boolean", "TRUE", "Ljava/lang/Boolean;", true},
    {"java/lang/Boolean", "FALSE", "Ljava/lang/Boolean;", true},
    {"java/lang/Integer", "TYPE", "Ljava/lang/Class;", true},
    {"java/lang/System", "out", "Ljava/io/PrintStream;", true},
    {"java/lang/System", "err", "Ljava/io/PrintStream;", true},
};
enum { PROBE_COUNT = sizeof PROBES / sizeof *PROBES };

struct unsafe {
    jobject object;
    jmethodID offset, static_offset;
};

static bool placement_find_fields(JNIEnv *env, const struct unsafe *unsafe)
{
    jlong offsets[PROBE_COUNT];
    jfieldID ids[PROBE_COUNT] = {NULL};
    bool good = true;
    for (size_t i = 0; i < PROBE_COUNT && good; i++) {
        /* Unsafe knows the offset; −1 if it can't be had. */
        const struct probe *probe = &PROBES[i];
        jfieldID *id = &ids[i];
        jclass class = (*env)->FindClass(env, probe->class);
        if (class)
            *id = probe->is_static ? (*env)->GetStaticFieldID(env, class, probe->name, probe->type)
                                   : (*env)->GetFieldID(env, class, probe->name, probe->type);
        jobject field = class && *id ? (*env)->ToReflectedField(env, class, *id, probe->is_static) : NULL;
        jlong offset = field ? (*env)->CallLongMethod(env, unsafe->object,
                                                      probe->is_static ? unsafe->static_offset : unsafe->offset, field)
                             : -1;
        bool failed = (*env)->ExceptionCheck(env);
        (*env)->ExceptionClear(env);
        offsets[i] = failed ? -1 : offset;
        good = offsets[i] > 0 && (PROBES[i].is_static || placement_offset(ids[i], false) == offsets[i]);
    }
    if (!good)
        return false;
    /* Finds where all structures of static fields have the right offset. */
    uint32_t found = 0;
    for (uint32_t at = 0; at < STRUCTURE_BYTES; at += 4) {
        bool all = true;
        for (size_t i = 0; i < PROBE_COUNT && all; i++) {
            uint32_t word = 0;
            all =
                !PROBES[i].is_static || (placement_read_memory((uint64_t)(uintptr_t)ids[i] + at, &word, sizeof word) &&
                                         word == (uint64_t)offsets[i]);
        }
        if (all && found++ == 0)
            own.static_at = at;
    }
    return found == 1;
}

bool placement_find(JNIEnv *env)
{
    if (!addresses_find(env) || (*env)->PushLocalFrame(env, 8 * PROBE_COUNT) != 0)
        return false;
    struct unsafe unsafe = {NULL, NULL, NULL};
    const char *const signature = "(Ljava/lang/reflect/Field;)J";
    jclass class = (*env)->FindClass(env, "jdk/internal/misc/Unsafe");
    jfieldID only = class ? (*env)->GetStaticFieldID(env, class, "theUnsafe", "Ljdk/internal/misc/Unsafe;") : NULL;
    if (only)
        unsafe.object = (*env)->GetStaticObjectField(env, class, only);
    if (unsafe.object)
        unsafe.offset = (*env)->GetMethodID(env, class, "objectFieldOffset", signature);
    if (unsafe.offset)
        unsafe.static_offset = (*env)->GetMethodID(env, class, "staticFieldOffset", signature);
    bool good = unsafe.static_offset && placement_find_elements(env, class) && placement_find_length(env) &&
                placement_find_fields(env, &unsafe);
    (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
    return good;
}
