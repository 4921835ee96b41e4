/*
 * Calls that wait until everything is transferred, but return early, with what there is so far, if a signal comes: a
 * sample must not show. They go on with the rest if nothing but a sample has cut them short (collect/sample/restart.h);
 * what then fails will fail in the program's next call too, so the part that succeeded is returned.
 */
#include "collect/agents/native/interpose/transfer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

typedef ssize_t read_function(int, void *, size_t);
typedef ssize_t write_function(int, const void *, size_t);
typedef ssize_t send_function(int, const void *, size_t, int);
typedef ssize_t sendto_function(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
typedef ssize_t recv_function(int, void *, size_t, int);
typedef ssize_t recvfrom_function(int, void *, size_t, int, struct sockaddr *, socklen_t *);
typedef ssize_t getrandom_function(void *, size_t, unsigned);
typedef ssize_t sendfile_function(int, int, off_t *, size_t);
typedef ssize_t pread_function(int, void *, size_t, off_t);
typedef ssize_t copy_file_range_function(int, off64_t *, int, off64_t *, size_t, unsigned);
typedef ssize_t read_chk_function(int, void *, size_t, size_t);
typedef ssize_t recv_chk_function(int, void *, size_t, size_t, int);
typedef ssize_t recvfrom_chk_function(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);

static struct {
    read_function *read;
    write_function *write;
    send_function *send;
    sendto_function *sendto;
    recv_function *recv;
    recvfrom_function *recvfrom;
    getrandom_function *getrandom;
    sendfile_function *sendfile, *sendfile64;
    pread_function *pread;
    copy_file_range_function *copy_file_range;
    read_chk_function *read_chk;
    recv_chk_function *recv_chk;
    recvfrom_chk_function *recvfrom_chk;
} next;

_Atomic bool transfers_found;

void interpose_find_transfers(void)
{
    next.read = (read_function *)interpose_next("read");
    next.write = (write_function *)interpose_next("write");
    next.send = (send_function *)interpose_next("send");
    next.sendto = (sendto_function *)interpose_next("sendto");
    next.recv = (recv_function *)interpose_next("recv");
    next.recvfrom = (recvfrom_function *)interpose_next("recvfrom");
    next.getrandom = (getrandom_function *)interpose_next("getrandom");
    next.sendfile = (sendfile_function *)interpose_next("sendfile");
    next.sendfile64 = (sendfile_function *)interpose_next("sendfile64");
    next.pread = (pread_function *)interpose_next("pread64");
    next.copy_file_range = (copy_file_range_function *)interpose_next("copy_file_range");
    next.read_chk = (read_chk_function *)interpose_next("__read_chk");
    next.recv_chk = (recv_chk_function *)interpose_next("__recv_chk");
    next.recvfrom_chk = (recvfrom_chk_function *)interpose_next("__recvfrom_chk");
    interpose_find_pieces();
    atomic_store(&transfers_found, true);
}

ssize_t transfer_continue(const struct transfer *transfer, part_function *part, size_t done, unsigned cuts)
{
    int saved = errno;
    while (done < transfer->bytes && cuts != restart_cuts()) {
        cuts = restart_cuts();
        ssize_t more = part(transfer, done);
        if (more <= 0)
            break;
        done += (size_t)more;
    }
    errno = saved;
    return (ssize_t)done;
}

size_t transfer_pieces_bytes(struct pieces pieces)
{
    size_t sum = 0;
    for (size_t i = 0; i < pieces.count; i++)
        sum += pieces.first[i].iov_len;
    return sum;
}

/* ---------------------------------------------------------------------------- one location -- */

static ssize_t transfer_write_part(const struct transfer *transfer, size_t done)
{
    return next.write(transfer->fd, transfer->location + done, transfer->bytes - done);
}

EXPORT ssize_t write(int fd, const void *bytes, size_t count)
{
    return transfer_whole(&(struct transfer){.fd = fd, .location = (char *)(uintptr_t)bytes, .bytes = count},
                          transfer_write_part);
}

static ssize_t transfer_send_part(const struct transfer *transfer, size_t done)
{
    return next.send(transfer->fd, transfer->location + done, transfer->bytes - done, transfer->flags);
}

EXPORT ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
    return transfer_whole(
        &(struct transfer){.fd = fd, .flags = flags, .location = (char *)(uintptr_t)bytes, .bytes = count},
        transfer_send_part);
}

static ssize_t transfer_sendto_part(const struct transfer *transfer, size_t done)
{
    return next.sendto(transfer->fd, transfer->location + done, transfer->bytes - done, transfer->flags,
                       transfer->address, transfer->sent_length);
}

EXPORT ssize_t sendto(int fd, const void *bytes, size_t count, int flags, const struct sockaddr *address,
                      socklen_t length)
{
    return transfer_whole(&(struct transfer){.fd = fd,
                                             .flags = flags,
                                             .location = (char *)(uintptr_t)bytes,
                                             .bytes = count,
                                             .address = (struct sockaddr *)(uintptr_t)address,
                                             .sent_length = length},
                          transfer_sendto_part);
}

static ssize_t transfer_random_part(const struct transfer *transfer, size_t done)
{
    return next.getrandom(transfer->location + done, transfer->bytes - done, (unsigned)transfer->flags);
}

EXPORT ssize_t getrandom(void *bytes, size_t count, unsigned flags)
{
    return transfer_at_once(&(struct transfer){.flags = (int)flags, .location = bytes, .bytes = count},
                            transfer_random_part);
}

static ssize_t transfer_sendfile_part(const struct transfer *transfer, size_t done)
{
    return next.sendfile(transfer->fd, transfer->source, transfer->offset, transfer->bytes - done);
}

EXPORT ssize_t sendfile(int fd, int source, off_t *offset, size_t count)
{
    return transfer_whole(&(struct transfer){.fd = fd, .source = source, .offset = offset, .bytes = count},
                          transfer_sendfile_part);
}

static ssize_t transfer_sendfile64_part(const struct transfer *transfer, size_t done)
{
    return next.sendfile64(transfer->fd, transfer->source, transfer->offset, transfer->bytes - done);
}

EXPORT ssize_t sendfile64(int fd, int source, off_t *offset, size_t count)
{
    return transfer_whole(&(struct transfer){.fd = fd, .source = source, .offset = offset, .bytes = count},
                          transfer_sendfile64_part);
}

bool transfer_is_endless(int fd)
{
    enum { MEMORY_DEVICES = 1, ZERO = 5, FULL = 7, RANDOM = 8, URANDOM = 9 };
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISCHR(status.st_mode) || major(status.st_rdev) != MEMORY_DEVICES)
        return false;
    unsigned device = minor(status.st_rdev);
    return device == ZERO || device == FULL || device == RANDOM || device == URANDOM;
}

static ssize_t transfer_read_part(const struct transfer *transfer, size_t done)
{
    if (done > 0 && !transfer_is_endless(transfer->fd))
        return 0;
    return next.read(transfer->fd, transfer->location + done, transfer->bytes - done);
}

EXPORT ssize_t read(int fd, void *bytes, size_t count)
{
    return transfer_at_once(&(struct transfer){.fd = fd, .location = bytes, .bytes = count}, transfer_read_part);
}

static ssize_t transfer_pread_part(const struct transfer *transfer, size_t done)
{
    if (done > 0 && !transfer_is_endless(transfer->fd))
        return 0;
    return next.pread(transfer->fd, transfer->location + done, transfer->bytes - done, transfer->file_offset);
}

EXPORT ssize_t pread(int fd, void *bytes, size_t count, off_t location)
{
    return transfer_at_once(&(struct transfer){.fd = fd, .location = bytes, .bytes = count, .file_offset = location},
                            transfer_pread_part);
}

EXPORT ssize_t pread64(int fd, void *bytes, size_t count, off64_t location)
{
    return pread(fd, bytes, count, location);
}

/* It is cut short where the kernel copies through a pipe of its own, as between files in memory. At the end of the
 * source it is short as well, and then the next part is empty. */
static ssize_t transfer_copy_part(const struct transfer *transfer, size_t done)
{
    return next.copy_file_range(transfer->source, transfer->offset, transfer->fd, transfer->target_offset,
                                transfer->bytes - done, (unsigned)transfer->flags);
}

EXPORT ssize_t copy_file_range(int source, off64_t *from, int fd, off64_t *to, size_t count, unsigned flags)
{
    return transfer_at_once(
        &(struct transfer){
            .fd = fd, .source = source, .offset = from, .target_offset = to, .bytes = count, .flags = (int)flags},
        transfer_copy_part);
}

bool transfer_waits_for_all(const struct transfer *transfer)
{
    int type;
    socklen_t length = sizeof type;
    return (transfer->flags & (MSG_WAITALL | MSG_PEEK)) == MSG_WAITALL &&
           getsockopt(transfer->fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
}

static ssize_t transfer_recv_part(const struct transfer *transfer, size_t done)
{
    if (done > 0 && !transfer_waits_for_all(transfer))
        return 0;
    return next.recv(transfer->fd, transfer->location + done, transfer->bytes - done, transfer->flags);
}

EXPORT ssize_t recv(int fd, void *bytes, size_t count, int flags)
{
    return transfer_whole(&(struct transfer){.fd = fd, .flags = flags, .location = bytes, .bytes = count},
                          transfer_recv_part);
}

static ssize_t transfer_recvfrom_part(const struct transfer *transfer, size_t done)
{
    if (done > 0 && !transfer_waits_for_all(transfer))
        return 0;
    return next.recvfrom(transfer->fd, transfer->location + done, transfer->bytes - done, transfer->flags,
                         transfer->address, transfer->received_length);
}

EXPORT ssize_t recvfrom(int fd, void *bytes, size_t count, int flags, struct sockaddr *address, socklen_t *length)
{
    return transfer_whole(
        &(struct transfer){
            .fd = fd, .flags = flags, .location = bytes, .bytes = count, .address = address, .received_length = length},
        transfer_recvfrom_part);
}

/* ---------------------------------------------------------------------------- fortified -- */

/* As _FORTIFY_SOURCE has them: they end a program that asks for more than there is space for. */
EXPORT ssize_t __read_chk(int fd, void *bytes, size_t count, size_t space);
EXPORT ssize_t __read_chk(int fd, void *bytes, size_t count, size_t space)
{
    if (!atomic_load(&transfers_found))
        interpose_find_transfers();
    return count > space ? next.read_chk(fd, bytes, count, space) : read(fd, bytes, count);
}

EXPORT ssize_t __recv_chk(int fd, void *bytes, size_t count, size_t space, int flags);
EXPORT ssize_t __recv_chk(int fd, void *bytes, size_t count, size_t space, int flags)
{
    if (!atomic_load(&transfers_found))
        interpose_find_transfers();
    return count > space ? next.recv_chk(fd, bytes, count, space, flags) : recv(fd, bytes, count, flags);
}

EXPORT ssize_t __recvfrom_chk(int fd, void *bytes, size_t count, size_t space, int flags, struct sockaddr *address,
                              socklen_t *length);
EXPORT ssize_t __recvfrom_chk(int fd, void *bytes, size_t count, size_t space, int flags, struct sockaddr *address,
                              socklen_t *length)
{
    if (!atomic_load(&transfers_found))
        interpose_find_transfers();
    return count > space ? next.recvfrom_chk(fd, bytes, count, space, flags, address, length)
                         : recvfrom(fd, bytes, count, flags, address, length);
}
