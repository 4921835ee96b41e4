#include "collect/exact/tool/state/raw_writer.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcfile.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_libcsignal.h>
#include <valgrind/pub_tool_vki.h>
#include <valgrind/pub_tool_vkiscnums.h>

#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/core.h"
#include "collect/exact/tool/state/frames.h"
#include "collect/exact/tool/state/modules.h"
#include "collect/exact/tool/state/pairs.h"

enum { BUFFER_BYTES = 1 << 18, PATH_BYTES = 4096, NAMES_MAX = 1000, CAUSES = 8, CALM_BYTES = 1 << 18 };

/* Between two flushes no 32-bit count may overflow: 2^32 accesses take longer. */
#define LONGEST_NS 20000000000ULL

/* A list of definitions that only grows, and the part of it that is in the file. */
struct definitions {
    UChar *bytes;
    SizeT size, capacity, written;
};

static HChar prefix[PATH_BYTES], file_path[PATH_BYTES + 64];
static Int fd = -1;
static UChar buffer[BUFFER_BYTES];
static SizeT buffered;
static ULong file_bytes, refused;
static struct definitions early, late; /* whole records: modules and threads; objects, which refer to contexts */
static UInt nodes_written, handles_written;
static ULong lost[CAUSES];
static ULong next_flush_ns;

static ULong raw_writer_now_ns(void)
{
    struct vki_timespec now;
    VG_(clock_gettime)(&now, VKI_CLOCK_MONOTONIC);
    return (ULong)now.tv_sec * 1000000000ULL + (ULong)now.tv_nsec;
}

/* ---------------------------------------------------------------------------- the file -- */

/* The program's limit of the size of files is not meant for this one, nor is the signal of a file that exceeds it. */
static Int raw_writer_write_beyond_limit(const UChar *bytes, SizeT count)
{
    enum { FILE_SIZE = 1 };
    static const struct vki_timespec now = {0, 0};
    struct vki_rlimit limit, none = {~0UL, ~0UL};
    vki_sigset_t exceeded;
    VG_(getrlimit)(FILE_SIZE, &limit);
    if (limit.rlim_cur != ~0UL && VG_(setrlimit)(FILE_SIZE, &none) != 0) {
        none = (struct vki_rlimit){limit.rlim_max, limit.rlim_max};
        VG_(setrlimit)(FILE_SIZE, &none);
    }
    Int wrote = VG_(write)(fd, bytes, (Int)count);
    if (limit.rlim_cur != ~0UL)
        VG_(setrlimit)(FILE_SIZE, &limit);
    VG_(sigemptyset)(&exceeded);
    VG_(sigaddset)(&exceeded, VKI_SIGXFSZ);
    if (wrote == -VKI_EFBIG)
        VG_(do_syscall)(__NR_rt_sigtimedwait, (UWord)&exceeded, 0, (UWord)&now, sizeof exceeded, 0, 0, 0, 0);
    return wrote;
}

static void raw_writer_write_out(void)
{
    SizeT done = 0;
    while (done < buffered && fd >= 0) {
        Int wrote = raw_writer_write_beyond_limit(buffer + done, buffered - done);
        if (wrote == -VKI_EINTR)
            continue;
        if (wrote <= 0) {
            VG_(umsg)("assay: the file can't be written (error %d); what follows is lost\n", -wrote);
            VG_(close)(fd);
            fd = -1;
            break;
        }
        done += (SizeT)wrote;
    }
    file_bytes += done;
    buffered = 0;
}

static void raw_writer_put(const void *bytes, SizeT size)
{
    const UChar *from = bytes;
    while (size > 0) {
        SizeT part = size < BUFFER_BYTES - buffered ? size : BUFFER_BYTES - buffered;
        VG_(memcpy)(buffer + buffered, from, part);
        buffered += part;
        from += part;
        size -= part;
        if (buffered == BUFFER_BYTES)
            raw_writer_write_out();
    }
}

static void raw_writer_put_record(enum raw_type type, const void *payload, SizeT bytes, const void *more,
                                  SizeT more_bytes)
{
    static const UChar zeros[8];
    SizeT padding = (8 - (bytes + more_bytes) % 8) % 8;
    struct raw_head head = {type, (UInt)(bytes + more_bytes + padding)};
    if (fd < 0) {
        refused++;
        return;
    }
    raw_writer_put(&head, sizeof head);
    raw_writer_put(payload, bytes);
    raw_writer_put(more, more_bytes);
    raw_writer_put(zeros, padding);
}

static void raw_writer_open_file(void)
{
    Int pid = VG_(getpid)();
    SysRes result = {0};
    for (UInt n = 0; n < NAMES_MAX && (n == 0 || (sr_isError(result) && sr_Err(result) == VKI_EEXIST)); n++) {
        if (n == 0)
            VG_(sprintf)(file_path, "%s-%d.exact", prefix, pid);
        else
            VG_(sprintf)(file_path, "%s-%d.%u.exact", prefix, pid, n);
        result = VG_(open)(file_path, VKI_O_CREAT | VKI_O_EXCL | VKI_O_WRONLY, 0644);
    }
    buffered = 0;
    file_bytes = 0;
    fd = -1;
    if (sr_isError(result)) {
        VG_(umsg)("assay: %s: error %lu; process %d is not recorded\n", file_path, sr_Err(result), pid);
        return;
    }
    fd = VG_(safe_fd)((Int)sr_Res(result));
    const HChar *json = config_json();
    SizeT length = VG_(strlen)(json);
    struct raw_hello hello = {RAW_MAGIC, raw_writer_now_ns(), (UInt)pid, (UInt)length};
    raw_writer_put_record(RAW_HELLO, &hello, sizeof hello, json, length);
}

const HChar *raw_writer_path(void)
{
    return file_path;
}

void raw_writer_open(const HChar *path_prefix)
{
    VG_(strncpy)(prefix, path_prefix, sizeof prefix - 1);
    raw_writer_open_file();
    next_flush_ns = raw_writer_now_ns() + 1000000000ULL;
}

void raw_writer_open_child(void)
{
    if (fd >= 0)
        VG_(close)(fd);
    raw_writer_open_file();
    early.written = late.written = 0;
    nodes_written = handles_written = 0;
}

/* ---------------------------------------------------------------------------- definitions -- */

static void raw_writer_define(struct definitions *list, enum raw_type type, const void *payload, SizeT bytes,
                              const void *more, SizeT more_bytes)
{
    SizeT padding = (8 - (bytes + more_bytes) % 8) % 8, all = sizeof(struct raw_head) + bytes + more_bytes + padding;
    if (list->size + all > list->capacity) {
        list->capacity = list->capacity * 2 + all + 4096;
        list->bytes = VG_(realloc)("assay.definitions", list->bytes, list->capacity);
    }
    struct raw_head head = {type, (UInt)(all - sizeof head)};
    UChar *at = list->bytes + list->size;
    VG_(memset)(at, 0, all);
    VG_(memcpy)(at, &head, sizeof head);
    VG_(memcpy)(at + sizeof head, payload, bytes);
    VG_(memcpy)(at + sizeof head + bytes, more, more_bytes);
    list->size += all;
}

void raw_writer_module(const HChar *path, Addr low, Addr high, PtrdiffT bias)
{
    static UInt count;
    SizeT length = VG_(strlen)(path);
    struct raw_module module = {++count, (UInt)length, (ULong)bias, low, high};
    raw_writer_define(&early, RAW_MODULE, &module, sizeof module, path, length + 1);
}

void raw_writer_thread(UInt thread, UInt tid)
{
    struct raw_thread record = {thread, tid};
    raw_writer_define(&early, RAW_THREAD, &record, sizeof record, NULL, 0);
}

void raw_writer_object(const struct raw_object *object)
{
    raw_writer_define(&late, RAW_OBJECT, object, sizeof *object, NULL, 0);
}

void raw_writer_loop(const struct raw_loop *loop)
{
    raw_writer_define(&late, RAW_LOOP, loop, sizeof *loop, NULL,
                      0); /* behind the module that it is in, and before its blocks */
}

void raw_writer_block(const struct raw_block *block, const struct raw_slot *slots)
{
    raw_writer_define(&late, RAW_BLOCK, block, sizeof *block, slots, block->count * sizeof *slots);
}

void raw_writer_code(const struct raw_code *code, const struct raw_instruction *instructions)
{
    raw_writer_define(&late, RAW_CODE, code, sizeof *code, instructions, code->count * sizeof *instructions);
}

void raw_writer_burst(const struct raw_burst *burst)
{
    raw_writer_put_record(RAW_BURST, burst, sizeof *burst, NULL, 0);
}

void raw_writer_lost(enum raw_cause cause, ULong count)
{
    lost[cause] += count;
}

static void raw_writer_put_definitions(struct definitions *list)
{
    if (fd >= 0)
        raw_writer_put(list->bytes + list->written, list->size - list->written);
    list->written = list->size;
}

/* Everything that a record may refer to but objects, loops and blocks. */
static void raw_writer_put_locations(void)
{
    enum { SITES_MAX = 4096 };
    modules_report();
    raw_writer_put_definitions(&early);
    for (; nodes_written < context_node_count(); nodes_written++) {
        UInt id = nodes_written + 1;
        const struct context_node *node = context_node_of(id);
        struct raw_node record = {.id = id,
                                  .parent = node->parent,
                                  .call = node->call,
                                  .loop = node->loop,
                                  .thread = node->thread,
                                  .kind = node->kind};
        raw_writer_put_record(RAW_NODE, &record, sizeof record, NULL, 0);
    }
    /* Consecutive handles of one node are one record. */
    while (handles_written < context_handle_count()) {
        UInt first = handles_written + 1, next = first, node = context_locations[first].node;
        while (next <= context_handle_count() && next - first < SITES_MAX && context_locations[next].node == node)
            next++;
        struct raw_sites sites = {first, next - first, node, 0};
        struct raw_head head = {RAW_SITES, (UInt)(sizeof sites + sites.count * sizeof(ULong))};
        handles_written = next - 1;
        if (fd < 0)
            continue;
        raw_writer_put(&head, sizeof head);
        raw_writer_put(&sites, sizeof sites);
        for (UInt handle = first; handle < next; handle++)
            raw_writer_put(&context_locations[handle].slot->address, sizeof(ULong));
    }
}

/* ---------------------------------------------------------------------------- calls -- */

void raw_writer_instance(enum raw_type type, const void *record, SizeT bytes, const ULong *values, UInt count)
{
    if (UNLIKELY(handles_written < context_handle_count() || early.written < early.size))
        raw_writer_put_locations();
    raw_writer_put_record(type, record, bytes, values, count * sizeof *values);
}

void raw_writer_name(const HChar *name, UInt functions)
{
    SizeT length = VG_(strlen)(name);
    struct raw_name record = {functions, (UInt)length};
    raw_writer_put_record(RAW_NAME, &record, sizeof record, name, length + 1);
}

/* ---------------------------------------------------------------------------- counts -- */

static void raw_writer_put_waste(const struct pair *pair, UInt waste, Bool approximate, ULong wasted_events,
                                 ULong wasted_bytes)
{
    struct raw_pair record = {.first = pair->first,
                              .second = pair->second,
                              .scope = pair->scope,
                              .object = pair->object,
                              .thread = context_locations[pair->second].thread,
                              .waste = waste,
                              .values = approximate,
                              .events = pair->events,
                              .wasted_events = wasted_events,
                              .bytes = pair->bytes,
                              .wasted_bytes = wasted_bytes};
    raw_writer_put_record(RAW_PAIR, &record, sizeof record, NULL, 0);
}

/* A dead store is the program's, not the kernel's. Its values are those of the dead store, the first one. */
static void raw_writer_put_pair(const struct pair *pair)
{
    enum { DEAD_STORE, SILENT_STORE, SILENT_LOAD, SPATIAL_LOAD }; /* as enum trace_waste */
    const struct config *config = config_get();
    const struct context_slot *first = context_locations[pair->first].slot,
                              *second = context_locations[pair->second].slot;
    if (!second->store) {
        raw_writer_put_waste(pair, config->spatial ? SPATIAL_LOAD : SILENT_LOAD, second->lane != 0, pair->silent_events,
                             pair->silent_bytes);
        return;
    }
    if (config->dead_stores && first->size)
        raw_writer_put_waste(pair, DEAD_STORE, first->lane != 0, pair->dead_events, pair->dead_bytes);
    if (config->silent_stores && second->size) /* the kernel's stores are never silent */
        raw_writer_put_waste(pair, SILENT_STORE, second->lane != 0, pair->silent_events, pair->silent_bytes);
}

static void raw_writer_put_total(UInt thread, UInt store, Bool approximate, const struct pair_total *total)
{
    struct raw_total record = {thread, store, approximate, 0, total->events, total->bytes};
    raw_writer_put_record(RAW_TOTAL, &record, sizeof record, NULL, 0);
}

void raw_writer_flush(void)
{
    ULong before = file_bytes, begin = raw_writer_now_ns();
    raw_writer_put_locations();
    raw_writer_put_definitions(&late);
    pairs_drain(frames_thread, raw_writer_put_pair, raw_writer_put_total);
    lost[RAW_LOST_WRITES] += refused;
    refused = 0;
    for (UInt cause = 0; cause < CAUSES; cause++) {
        struct raw_lost record = {cause, 0, lost[cause]};
        if (lost[cause])
            raw_writer_put_record(RAW_LOST, &record, sizeof record, "", 1);
        lost[cause] = 0;
    }
    struct raw_time time = {raw_writer_now_ns(), 0};
    raw_writer_put_record(RAW_TIME, &time, sizeof time, NULL, 0);
    raw_writer_write_out();
    /* The increments of a second stay small compared with the cost of running. */
    ULong seconds = 1 + (file_bytes - before) / CALM_BYTES, cost = raw_writer_now_ns() - begin;
    ULong wait = seconds * 1000000000ULL > cost * 50 ? seconds * 1000000000ULL : cost * 50;
    next_flush_ns = begin + (wait < LONGEST_NS ? wait : LONGEST_NS);
}

void raw_writer_flush_due(void)
{
    if (raw_writer_now_ns() >= next_flush_ns)
        raw_writer_flush();
}

void raw_writer_end(enum raw_end_kind kind, UInt status)
{
    struct raw_end end = {kind, status};
    raw_writer_put_record(RAW_END, &end, sizeof end, NULL, 0);
    raw_writer_write_out();
}

void raw_writer_resume(void)
{
    if (fd >= 0)
        file_bytes = (ULong)VG_(lseek)(fd, -(Off64T)(sizeof(struct raw_head) + sizeof(struct raw_end)), VKI_SEEK_CUR);
}
