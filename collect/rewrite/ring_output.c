#include "collect/rewrite/ring_output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "collect/rewrite/agent.h"
#include "collect/rewrite/methods.h"
#include "collect/exact/tool/state/raw.h"
#include "trace/trace.h"

/* As in the native tool. */
enum { SEGMENTS = 16, SEGMENT_WORDS = 1 << 17, WAIT_NS = 1000000, PATIENCE = 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    struct raw_ring *ring; /* NULL: nothing is recorded */
    int fd;
    pid_t reader;
    size_t used; /* words of the segment that is being filled */
    bool values;
    uint32_t references;
    bool undefined;         /* there are definitions that the file may not have yet */
    uint32_t blocks;        /* defined so far */
    uint32_t *first_blocks; /* [method]: of its first access, or loop; 0: not defined */
    size_t capacity;
} out;

/* ------------------------------------------------------------------------------------------ the ring -- */

static uint64_t *ring_output_segment(uint64_t number)
{
    return (uint64_t *)(void *)((char *)out.ring + RAW_RING_PAGE) + (number % SEGMENTS) * SEGMENT_WORDS;
}

static off_t ring_output_segment_end(uint64_t number)
{
    return RAW_RING_PAGE + (off_t)(number + 1) * SEGMENT_WORDS * (off_t)sizeof(uint64_t);
}

/* The file has room for a segment that is used for the first time: else a store into it would kill the process. */
static int ring_output_extend(uint64_t number)
{
    off_t begin = number ? ring_output_segment_end(number - 1) : 0;
    return posix_fallocate(out.fd, begin, ring_output_segment_end(number) - begin);
}

int ring_output_begin(pid_t reader, bool values)
{
    assert(!out.ring);
    out.reader = reader;
    out.values = values;
    /* PREFIX-PID[.N].exact -> PREFIX-PID[.N].memory */
    char path[8192];
    const char *raw = raw_output_path(), *dot = strrchr(raw, '.');
    snprintf(path, sizeof path, "%.*s.memory", (int)(dot - raw), raw);
    out.fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
    if (out.fd < 0)
        return errno;
    int error = ring_output_extend(0);
    void *bytes = error ? MAP_FAILED
                        : mmap(NULL, (size_t)ring_output_segment_end(SEGMENTS - 1), PROT_READ | PROT_WRITE, MAP_SHARED,
                               out.fd, 0);
    if (!error && bytes == MAP_FAILED)
        error = errno;
    if (error) {
        close(out.fd);
        unlink(path);
        return error;
    }
    out.ring = bytes;
    out.ring->segments = SEGMENTS;
    out.ring->segment_words = SEGMENT_WORDS;
    __atomic_store_n(&out.ring->magic, RAW_RING_MAGIC, __ATOMIC_RELEASE);
    raw_output_flush(); /* so that the reader can begin */
    return 0;
}

/* ------------------------------------------------------------------------------------------ its segments -- */

static void ring_output_report_loss(const char *why)
{
    struct raw_lost lost = {.cause = RAW_LOST_RING, .count = 1};
    accesses_print("%s; accesses are no longer recorded", why);
    raw_output_append(RAW_LOST, &lost, sizeof lost, "", 1);
    raw_output_flush();
}

static bool ring_output_is_closed(void)
{
    return __atomic_load_n(&out.ring->closed, __ATOMIC_ACQUIRE) != 0;
}

static bool ring_output_prepare_segment(uint64_t number)
{
    if (ring_output_is_closed())
        return false;
    if (number >= SEGMENTS) {
        /* Waits until the position of this segment has been drained, which never happens without a reader. */
        uint64_t drained = __atomic_load_n(&out.ring->drained, __ATOMIC_ACQUIRE), seen = drained;
        for (unsigned waits = 0; number - drained >= SEGMENTS && !ring_output_is_closed(); waits++) {
            if (waits > PATIENCE && kill(out.reader, 0) != 0) {
                ring_output_report_loss("nobody reads the ring");
                return false;
            }
            nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
            drained = __atomic_load_n(&out.ring->drained, __ATOMIC_ACQUIRE);
            waits = drained == seen ? waits : 0;
            seen = drained;
        }
        return !ring_output_is_closed();
    }
    if (ring_output_extend(number) == 0)
        return true;
    ring_output_report_loss("there is no room for the ring");
    return false;
}

static void ring_output_unmap(void)
{
    munmap(out.ring, (size_t)ring_output_segment_end(SEGMENTS - 1));
    close(out.fd);
    out.ring = NULL;
}

void ring_output_append(JNIEnv *env, jlongArray words, jint from, jint count)
{
    pthread_mutex_lock(&lock);
    if (out.ring && count > 0) {
        /* What the words refer to is in the file before they are in the ring. */
        if (__atomic_exchange_n(&out.undefined, false, __ATOMIC_ACQ_REL))
            raw_output_flush();
        if (out.used + (size_t)count > SEGMENT_WORDS) {
            uint64_t filled = out.ring->filled;
            if (out.used < SEGMENT_WORDS)
                ring_output_segment(filled)[out.used] = (uint64_t)RAW_MARK_END << RAW_MARK_SHIFT;
            __atomic_store_n(&out.ring->filled, filled + 1, __ATOMIC_RELEASE);
            out.used = 0;
            if (!ring_output_prepare_segment(filled + 1))
                ring_output_unmap();
        }
    }
    if (out.ring && count > 0) {
        uint64_t *at = ring_output_segment(out.ring->filled) + out.used;
        jlong first;
        (*env)->GetLongArrayRegion(env, words, from, 1, &first);
        (*env)->GetLongArrayRegion(env, words, from + 1, count - 1, (jlong *)at + 1);
        /* The first word comes last: a process that is killed meanwhile leaves none of them. */
        __atomic_store_n(at, (uint64_t)first, __ATOMIC_RELEASE);
        out.used += (size_t)count;
    }
    pthread_mutex_unlock(&lock);
}

void ring_output_end(void)
{
    pthread_mutex_lock(&lock);
    if (out.ring)
        ring_output_unmap();
    pthread_mutex_unlock(&lock);
}

/* ------------------------------------------------------------------------------------------ blocks -- */

void ring_output_set_reference_size(uint32_t size)
{
    out.references = size;
}

static void ring_output_write_block(const struct raw_slot *slot)
{
    struct raw_block block = {.id = ++out.blocks, .count = 1};
    raw_output_append(RAW_BLOCK, &block, sizeof block, slot, sizeof *slot);
}

/* The block of a method's first access; the others follow, then those of its loops. 0: without memory, or the method is
 * unknown. */
static uint32_t ring_output_method_blocks(uint32_t number)
{
    struct method method;
    uint32_t *grown = grow(out.first_blocks, &out.capacity, number, sizeof *grown);
    if (!grown)
        return 0;
    out.first_blocks = grown;
    if (grown[number] || !methods_at(number, &method))
        return grown[number];
    grown[number] = out.blocks + 1;
    uint16_t same = 0;
    for (uint32_t i = 0; i < method.access_count; i++) {
        same = i > 0 && (uint32_t)method.accesses[i] == (uint32_t)method.accesses[i - 1] ? same + 1 : 0;
        /* `same` is the number among the accesses of the same instruction. */
        uint32_t kind = (uint32_t)(method.accesses[i] >> 32) & 0xff,
                 size = kind & KIND_REFERENCE ? out.references : kind & KIND_SIZE;
        struct raw_slot slot = {
            .address = RAW_MANAGED | (uint64_t)number << RAW_MANAGED_METHOD_SHIFT | (method.accesses[i] & UINT32_MAX),
            .loop = raw_output_loop_address(number, &method, method.accesses[i] >> ACCESS_LOOP_SHIFT),
            .number = same,
            .bytes = (uint16_t)(1 << size),
            .access = kind & KIND_STORE ? ACCESS_STORE : ACCESS_LOAD,
            .words = out.values};
        ring_output_write_block(&slot);
    }
    for (uint32_t loop = 1; loop <= method.loop_count; loop++) {
        uint64_t header = raw_output_loop_address(number, &method, loop);
        ring_output_write_block(&(struct raw_slot){.address = header, .loop = header, .access = RAW_HEADER});
    }
    return grown[number];
}

uint64_t ring_output_define_node(const struct raw_output_node *node)
{
    pthread_mutex_lock(&lock);
    bool open = out.ring != NULL;
    pthread_mutex_unlock(&lock);
    uint32_t number = open ? raw_output_define_node(node) : 0;
    pthread_mutex_lock(&lock);
    uint32_t first = node->method ? ring_output_method_blocks(node->method) : 0;
    pthread_mutex_unlock(&lock);
    __atomic_store_n(&out.undefined, true, __ATOMIC_RELEASE);
    if (!number || (node->method && !first))
        return 0;
    return (uint64_t)RAW_MARK_BLOCK << RAW_MARK_SHIFT | (uint64_t)first << RAW_MARK_BLOCK_SHIFT | number;
}
