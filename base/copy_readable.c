#include "base/copy_readable.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "base/system_call.h"

bool copy_readable(void *to, uint64_t from, size_t bytes)
{
    enum { PAGE = 4096 };
    static const long NO_SUCH_CHANGE = -1;
    const struct iovec here = {to, bytes}, there = {(void *)from, bytes}; /* NOLINT: the program's memory */
    /* The thread's own number: that of the process has no memory once its first thread has ended. */
    long self = system_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
    long copied = system_call(SYS_process_vm_readv, self, (long)&here, 1, (long)&there, 1, 0);
    if (copied >= 0 || copied == -EFAULT)
        return copied == (long)bytes;

    /* A sandbox may forbid that call. This one reads a word before it finds out that it is wrong otherwise. */
    for (uint64_t at = from; at < from + bytes; at = at / PAGE * PAGE + PAGE) {
        uint64_t word = at / sizeof word * sizeof word;
        if (system_call(SYS_rt_sigprocmask, NO_SUCH_CHANGE, (long)word, 0, sizeof word, 0, 0) == -EFAULT)
            return false;
    }
    memcpy(to, there.iov_base, bytes);
    return true;
}
