#include "collect/exact/tool/process/limits.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcfile.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_vkiscnums.h>

#include "collect/exact/tool/state/core.h"

/* DESCRIPTORS_MOST: what the program may open at most; a table of a size that a fork copies quickly. */
enum { RESOURCE_FILES = VKI_RLIMIT_NOFILE, RESOURCE_SPACE = 9, SEGMENTS_MAX = 4096, DESCRIPTORS_MOST = 65536 };
enum { MAP_FIXED_BIT = 0x10, DUPLICATE_CLOEXEC = 1030 };

static struct vki_rlimit files, space = {~0UL, ~0UL};
static Bool has_files;

/*
 * The core asks for the limit of descriptors as it starts, raises it, and keeps the highest numbers for itself. It gets
 * a higher one, so that the program can raise its own.
 */
Int __wrap_vgPlain_getrlimit(Int resource, struct vki_rlimit *limit)
{
    Int result = __real_vgPlain_getrlimit(resource, limit);
    if (resource != RESOURCE_FILES || result != 0)
        return result;
    if (!has_files)
        files = *limit;
    has_files = True;
    UWord most = limit->rlim_max < DESCRIPTORS_MOST ? limit->rlim_max : DESCRIPTORS_MOST;
    if (limit->rlim_cur < most)
        limit->rlim_cur = most;
    return result;
}

/* What the core shall enforce. */
static void limits_set_files(const struct vki_rlimit *limit)
{
    files = *limit;
    VG_(fd_soft_limit) = limit->rlim_cur < (UWord)VG_(fd_hard_limit) ? (Int)limit->rlim_cur : VG_(fd_hard_limit);
}

void limits_init(void)
{
    limits_set_files(&files);
}

static struct vki_rlimit *limits_find(UWord resource)
{
    return resource == RESOURCE_FILES ? &files : resource == RESOURCE_SPACE ? &space : NULL;
}

/* Whether the kernel raises a hard limit of this process to `most`. It then has that. */
static Bool limits_raise_hard(UWord resource, UWord most)
{
    struct vki_rlimit limit;
    if (__real_vgPlain_getrlimit((Int)resource, &limit) != 0)
        return False;
    if (most <= limit.rlim_max)
        return True;
    limit.rlim_max = most;
    return VG_(setrlimit)((Int)resource, &limit) == 0;
}

/* Whether this process may raise hard limits (CAP_SYS_RESOURCE in the first user namespace): the kernel is asked by
 * one that has room above it. The one of descriptors may have none, below its own ceiling. */
static Bool limits_may_raise(void)
{
    enum { LIMITS_COUNT = 16 };
    for (UWord resource = 0; resource < LIMITS_COUNT; resource++) {
        struct vki_rlimit limit;
        if (resource == RESOURCE_FILES || __real_vgPlain_getrlimit((Int)resource, &limit) != 0 ||
            limit.rlim_max >= ~0UL - 1)
            continue;
        Bool may = limits_raise_hard(resource, limit.rlim_max + 1);
        VG_(setrlimit)((Int)resource, &limit);
        return may;
    }
    return VG_(geteuid)() == 0;
}

/* prlimit64; `new` and `old` may be 0. */
static Long limits_exchange(UWord resource, Addr new, Addr old)
{
    if ((new && !VG_(am_is_valid_for_client)(new, sizeof(struct vki_rlimit), VKI_PROT_READ)) ||
        (old && !VG_(am_is_valid_for_client)(old, sizeof(struct vki_rlimit), VKI_PROT_WRITE)))
        return -VKI_EFAULT;
    const struct vki_rlimit before = *limits_find(resource), *wanted = (const struct vki_rlimit *)new;
    /* The kernel's hard limit is never lower than the one that the program believes it has: it may be executing a
     * program without Valgrind when it is privileged no more. */
    if (wanted && wanted->rlim_cur > wanted->rlim_max)
        return -VKI_EINVAL;
    if (wanted && wanted->rlim_max > before.rlim_max &&
        !(limits_may_raise() && limits_raise_hard(resource, wanted->rlim_max)))
        return -VKI_EPERM;
    if (wanted && resource == RESOURCE_FILES)
        limits_set_files(wanted);
    else if (wanted)
        space = *wanted;
    if (old)
        *(struct vki_rlimit *)old = before;
    return 0;
}

/* ---------------------------------------------------------------------------- the address space -- */

/* What the program has mapped from `first` to `last`. */
static UWord limits_mapped_bytes(Addr first, Addr last)
{
    static Addr starts[SEGMENTS_MAX];
    Int count = VG_(am_get_segment_starts)(SkFileC | SkAnonC | SkShmC, starts, SEGMENTS_MAX);
    UWord bytes = 0;
    for (Int i = 0; i < count; i++) {
        const NSegment *segment = VG_(am_find_nsegment)(starts[i]);
        if (!segment || segment->start > last || segment->end < first)
            continue;
        Addr from = segment->start > first ? segment->start : first;
        Addr to = segment->end < last ? segment->end : last;
        bytes += to - from + 1;
    }
    return bytes;
}

static Bool limits_has_space(UWord bytes)
{
    UWord mapped = limits_mapped_bytes(0, ~0UL);
    return bytes == 0 || (mapped <= space.rlim_cur && bytes <= space.rlim_cur - mapped);
}

/* Memory that shrinks is left to the core. brk(2) reports a failure by the old end. */
static Bool limits_refuse_memory(ThreadId tid, const struct call *call)
{
    const UWord *a = call->arguments;
    if (space.rlim_cur == ~0UL)
        return False;
    if (call->number == __NR_mmap) {
        /* One at a fixed address replaces what is there. */
        UWord bytes = VG_PGROUNDUP(a[1]), last = a[0] + bytes - 1;
        if ((a[3] & MAP_FIXED_BIT) && bytes > 0 && last >= a[0])
            bytes -= limits_mapped_bytes(a[0], last);
        if (limits_has_space(bytes))
            return False;
        calls_set_result(tid, -VKI_ENOMEM);
    } else if (call->number == __NR_mremap && a[2] > a[1] &&
               !limits_has_space(VG_PGROUNDUP(a[2]) - VG_PGROUNDUP(a[1]))) {
        calls_set_result(tid, -VKI_ENOMEM);
    } else if (call->number == __NR_brk && a[0] > VG_(brk_limit) &&
               !limits_has_space(VG_PGROUNDUP(a[0]) - VG_PGROUNDUP(VG_(brk_limit)))) {
        calls_set_result(tid, (Long)VG_(brk_limit));
    } else {
        return False;
    }
    return True;
}

/* ---------------------------------------------------------------------------- calls -- */

Bool limits_handle(ThreadId tid, const struct call *call)
{
    const UWord *a = call->arguments;
    if (call->number == __NR_getrlimit && limits_find((UInt)a[0]))
        calls_set_result(tid, a[1] ? limits_exchange((UInt)a[0], 0, a[1]) : -VKI_EFAULT);
    else if (call->number == __NR_setrlimit && limits_find((UInt)a[0]))
        calls_set_result(tid, a[1] ? limits_exchange((UInt)a[0], a[1], 0) : -VKI_EFAULT);
    else if (call->number == __NR_prlimit64 && limits_find((UInt)a[1]) &&
             ((Int)a[0] == 0 || (Int)a[0] == VG_(getpid)()))
        calls_set_result(tid, limits_exchange((UInt)a[1], a[2], a[3]));
    else if (call->number == __NR_fcntl && ((UInt)a[1] == VKI_F_DUPFD || (UInt)a[1] == DUPLICATE_CLOEXEC) &&
             (UInt)a[2] >= files.rlim_cur && (Int)a[0] < VG_(fd_hard_limit) &&
             VG_(fcntl)((Int)a[0], VKI_F_GETFD, 0) >= 0)
        /* A copy of a descriptor at a number that the program may not have: the core would call that too many. */
        calls_set_result(tid, -VKI_EINVAL);
    else
        return limits_refuse_memory(tid, call);
    return True;
}

static void limits_set_in_kernel(UWord resource, const struct vki_rlimit *limit)
{
    __real_vgPlain_do_syscall(__NR_setrlimit, resource, (UWord)limit, 0, 0, 0, 0, 0, 0);
}

void limits_pass_on(Bool all)
{
    limits_set_in_kernel(VKI_RLIMIT_STACK, &VG_(client_rlimit_stack));
    if (!all)
        return;
    limits_set_in_kernel(RESOURCE_FILES, &files);
    limits_set_in_kernel(VKI_RLIMIT_DATA, &VG_(client_rlimit_data));
    if (space.rlim_cur != ~0UL || space.rlim_max != ~0UL)
        limits_set_in_kernel(RESOURCE_SPACE, &space);
}

void limits_text(HChar text[LIMITS_TEXT_BYTES])
{
    const struct vki_rlimit *data = &VG_(client_rlimit_data);
    VG_(sprintf)
    (text, "%lu:%lu:%lu:%lu:%lu:%lu", files.rlim_cur, files.rlim_max, space.rlim_cur, space.rlim_max, data->rlim_cur,
     data->rlim_max);
}

Bool limits_inherit(const HChar *text)
{
    UWord *const numbers[] = {&files.rlim_cur,
                              &files.rlim_max,
                              &space.rlim_cur,
                              &space.rlim_max,
                              &VG_(client_rlimit_data).rlim_cur,
                              &VG_(client_rlimit_data).rlim_max};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    for (UInt i = 0; i < COUNT; i++) {
        HChar *end;
        *numbers[i] = VG_(strtoull10)(text, &end);
        if (end == text || *end != (i < COUNT - 1 ? ':' : '\0'))
            return False;
        text = end + 1;
    }
    return True;
}
