/*
 * Calls that wait until everything is transferred, but return early, with what there is so far, if a signal comes: a
 * tick must not show. They go on with the rest if nothing but a tick has cut them short (collect/sample/restart.h);
 * what then fails will fail in the program's next call too, so the part that succeeded is returned.
 */
#include "collect/agents/native/native.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collect/sample/restart.h"

typedef ssize_t read_function(int, void *, size_t);
typedef ssize_t write_function(int, const void *, size_t);
typedef ssize_t writev_function(int, const struct iovec *, int);
typedef ssize_t send_function(int, const void *, size_t, int);
typedef ssize_t sendto_function(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
typedef ssize_t sendmsg_function(int, const struct msghdr *, int);
typedef ssize_t recv_function(int, void *, size_t, int);
typedef ssize_t recvfrom_function(int, void *, size_t, int, struct sockaddr *, socklen_t *);
typedef ssize_t getrandom_function(void *, size_t, unsigned);
typedef ssize_t sendfile_function(int, int, off_t *, size_t);
typedef ssize_t pread_function(int, void *, size_t, off_t);
typedef ssize_t preadv_function(int, const struct iovec *, int, off_t);
typedef ssize_t copy_file_range_function(int, off64_t *, int, off64_t *, size_t, unsigned);
typedef ssize_t recvmsg_function(int, struct msghdr *, int);
typedef int sendmmsg_function(int, struct mmsghdr *, unsigned, int);
typedef int recvmmsg_function(int, struct mmsghdr *, unsigned, int, struct timespec *);
typedef ssize_t vmsplice_function(int, const struct iovec *, size_t, unsigned);
typedef ssize_t read_chk_function(int, void *, size_t, size_t);
typedef ssize_t recv_chk_function(int, void *, size_t, size_t, int);
typedef ssize_t recvfrom_chk_function(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);

static struct {
    read_function *read;
    write_function *write;
    writev_function *writev;
    send_function *send;
    sendto_function *sendto;
    sendmsg_function *sendmsg;
    recv_function *recv;
    recvfrom_function *recvfrom;
    getrandom_function *getrandom;
    sendfile_function *sendfile, *sendfile64;
    pread_function *pread;
    writev_function *readv;
    preadv_function *preadv;
    copy_file_range_function *copy_file_range;
    recvmsg_function *recvmsg;
    sendmmsg_function *sendmmsg;
    recvmmsg_function *recvmmsg;
    vmsplice_function *vmsplice;
    read_chk_function *read_chk;
    recv_chk_function *recv_chk;
    recvfrom_chk_function *recvfrom_chk;
    _Atomic bool found;
} next;

void interpose_find_transfers(void)
{
    next.read = (read_function *)interpose_next("read");
    next.write = (write_function *)interpose_next("write");
    next.writev = (writev_function *)interpose_next("writev");
    next.send = (send_function *)interpose_next("send");
    next.sendto = (sendto_function *)interpose_next("sendto");
    next.sendmsg = (sendmsg_function *)interpose_next("sendmsg");
    next.recv = (recv_function *)interpose_next("recv");
    next.recvfrom = (recvfrom_function *)interpose_next("recvfrom");
    next.getrandom = (getrandom_function *)interpose_next("getrandom");
    next.sendfile = (sendfile_function *)interpose_next("sendfile");
    next.sendfile64 = (sendfile_function *)interpose_next("sendfile64");
    next.pread = (pread_function *)interpose_next("pread64");
    next.readv = (writev_function *)interpose_next("readv");
    next.preadv = (preadv_function *)interpose_next("preadv64");
    next.copy_file_range = (copy_file_range_function *)interpose_next("copy_file_range");
    next.recvmsg = (recvmsg_function *)interpose_next("recvmsg");
    next.sendmmsg = (sendmmsg_function *)interpose_next("sendmmsg");
    next.recvmmsg = (recvmmsg_function *)interpose_next("recvmmsg");
    next.vmsplice = (vmsplice_function *)interpose_next("vmsplice");
    next.read_chk = (read_chk_function *)interpose_next("__read_chk");
    next.recv_chk = (recv_chk_function *)interpose_next("__recv_chk");
    next.recvfrom_chk = (recvfrom_chk_function *)interpose_next("__recvfrom_chk");
    atomic_store(&next.found, true);
}

struct pieces {
    const struct iovec *first;
    size_t count;
};

struct transfer;

/* Transfers these pieces; `first`: they are all that the call is asked for. */
typedef ssize_t pieces_function(const struct transfer *transfer, struct pieces pieces, bool first);

/* What a call is asked for: the bytes at a location, or several pieces. */
struct transfer {
    int fd, flags;
    char *location;
    size_t bytes;
    struct pieces pieces;
    pieces_function *move;
    const struct msghdr *message;
    struct msghdr *received; /* the same, for recvmsg() */
    struct sockaddr *address;
    socklen_t sent_length, *received_length; /* of the address */
    off_t *offset;                           /* in file `source` */
    int source;
    off_t *target_offset; /* in file `fd` */
    off_t file_offset;    /* of pread(), which reads there */
};

/* Transfers what follows the first `done` bytes. */
typedef ssize_t part_function(const struct transfer *transfer, size_t done);

static ssize_t transfer_continue(const struct transfer *transfer, part_function *part, size_t done, unsigned cuts)
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

static size_t transfer_pieces_bytes(struct pieces pieces)
{
    size_t sum = 0;
    for (size_t i = 0; i < pieces.count; i++)
        sum += pieces.first[i].iov_len;
    return sum;
}

/* Makes a call that waits for nobody else. */
static inline ssize_t transfer_at_once(const struct transfer *transfer, part_function *part)
{
    if (!atomic_load(&next.found))
        interpose_find_transfers();
    unsigned cuts = restart_cuts();
    ssize_t done = part(transfer, 0);
    return done > 0 && cuts != restart_cuts() ? transfer_continue(transfer, part, (size_t)done, cuts) : done;
}

/*
 * Makes a call that may wait for somebody else. In a program with handlers it goes on only if it was for a few bytes,
 * which are rarely cut short (a pipe takes them all at once), and if no handler is one that ticks wait for: a tick that
 * comes when such a handler returns looks as if it had cut the call short. A signal comes in the instant between as
 * rarely as in the instant before the call.
 */
static inline ssize_t transfer_whole(struct transfer *transfer, part_function *part)
{
    enum { FEW_BYTES = 4096 };
    if (!atomic_load(&next.found))
        interpose_find_transfers();
    if (interpose_handles_signals() && transfer->bytes > FEW_BYTES) {
        unsigned long held = interpose_hold_ticks();
        ssize_t moved = part(transfer, 0);
        interpose_let_ticks(held);
        return moved;
    }
    unsigned cuts = restart_cuts();
    ssize_t done = part(transfer, 0);
    if (done <= 0 || cuts == restart_cuts())
        return done;
    /* Now they are known to be valid. */
    if (transfer->message)
        transfer->pieces = (struct pieces){transfer->message->msg_iov, transfer->message->msg_iovlen};
    if (transfer->pieces.count > 0)
        transfer->bytes = transfer_pieces_bytes(transfer->pieces);
    if ((size_t)done >= transfer->bytes ||
        restart_program_handles_signals(interpose_handles_signals() ? mask_ticks() : 0))
        return done;
    return transfer_continue(transfer, part, (size_t)done, cuts);
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

/* Most reads return what there is; but /dev/zero, full, random and urandom always have enough. */
static bool transfer_is_endless(int fd)
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

/* Only with MSG_WAITALL do they wait for everything, and only of a stream: another message is not the rest of this one,
 * and what was only looked at would be looked at again. */
static bool transfer_waits_for_all(const struct transfer *transfer)
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
    if (!atomic_load(&next.found))
        interpose_find_transfers();
    return count > space ? next.read_chk(fd, bytes, count, space) : read(fd, bytes, count);
}

EXPORT ssize_t __recv_chk(int fd, void *bytes, size_t count, size_t space, int flags);
EXPORT ssize_t __recv_chk(int fd, void *bytes, size_t count, size_t space, int flags)
{
    if (!atomic_load(&next.found))
        interpose_find_transfers();
    return count > space ? next.recv_chk(fd, bytes, count, space, flags) : recv(fd, bytes, count, flags);
}

EXPORT ssize_t __recvfrom_chk(int fd, void *bytes, size_t count, size_t space, int flags, struct sockaddr *address,
                              socklen_t *length);
EXPORT ssize_t __recvfrom_chk(int fd, void *bytes, size_t count, size_t space, int flags, struct sockaddr *address,
                              socklen_t *length)
{
    if (!atomic_load(&next.found))
        interpose_find_transfers();
    return count > space ? next.recvfrom_chk(fd, bytes, count, space, flags, address, length)
                         : recvfrom(fd, bytes, count, flags, address, length);
}

/* ---------------------------------------------------------------------------- several pieces -- */

static ssize_t transfer_write_pieces(const struct transfer *transfer, struct pieces pieces, bool first)
{
    if (!transfer->message)
        return next.writev(transfer->fd, pieces.first, (int)pieces.count);
    if (first)
        return next.sendmsg(transfer->fd, transfer->message, transfer->flags);
    /* What belongs to the message, such as descriptors, has been sent. */
    const struct msghdr more = {.msg_name = transfer->message->msg_name,
                                .msg_namelen = transfer->message->msg_namelen,
                                .msg_iov = (struct iovec *)(uintptr_t)pieces.first,
                                .msg_iovlen = pieces.count};
    return next.sendmsg(transfer->fd, &more, transfer->flags);
}

static ssize_t transfer_pieces_part(const struct transfer *transfer, size_t done)
{
    struct iovec rest = {0};
    struct pieces left = transfer->pieces;
    size_t skip = done; /* some pieces are done, and a part of one */
    while (left.count > 0 && skip > 0 && skip >= left.first->iov_len) {
        skip -= left.first->iov_len;
        left.first++;
        left.count--;
    }
    bool cut = skip > 0 && left.count > 0;
    if (cut) {
        rest = (struct iovec){(char *)left.first->iov_base + skip, left.first->iov_len - skip};
        left = (struct pieces){&rest, 1};
    }
    ssize_t put = transfer->move(transfer, left, done == 0);
    if (!cut || put < 0 || (size_t)put < rest.iov_len || done + rest.iov_len == transfer->bytes)
        return put;
    ssize_t others = transfer_pieces_part(transfer, done + rest.iov_len);
    return others > 0 ? put + others : put;
}

/* From the location in the file, or from where its descriptor stands. */
static ssize_t transfer_read_pieces(const struct transfer *transfer, struct pieces pieces, bool first)
{
    if (!first && !transfer_is_endless(transfer->fd))
        return 0;
    return transfer->file_offset >= 0
               ? next.preadv(transfer->fd, pieces.first, (int)pieces.count, transfer->file_offset)
               : next.readv(transfer->fd, pieces.first, (int)pieces.count);
}

static ssize_t transfer_readv_whole(int fd, const struct iovec *pieces, int count, off_t location)
{
    struct transfer transfer = {
        .fd = fd, .pieces = {pieces, (size_t)count}, .move = transfer_read_pieces, .file_offset = location};
    if (!atomic_load(&next.found))
        interpose_find_transfers();
    unsigned cuts = restart_cuts();
    ssize_t done = transfer_read_pieces(&transfer, transfer.pieces, true);
    if (done <= 0 || cuts == restart_cuts())
        return done;
    transfer.bytes = transfer_pieces_bytes(transfer.pieces); /* now they are known to be valid */
    return transfer_continue(&transfer, transfer_pieces_part, (size_t)done, cuts);
}

EXPORT ssize_t readv(int fd, const struct iovec *pieces, int count)
{
    return transfer_readv_whole(fd, pieces, count, -1);
}

EXPORT ssize_t preadv(int fd, const struct iovec *pieces, int count, off_t location)
{
    if (location >= 0)
        return transfer_readv_whole(fd, pieces, count, location);
    if (!atomic_load(&next.found))
        interpose_find_transfers();
    return next.preadv(fd, pieces, count, location);
}

EXPORT ssize_t preadv64(int fd, const struct iovec *pieces, int count, off64_t location)
{
    return preadv(fd, pieces, count, location);
}

/* The rest of a message is only bytes: one that has space for descriptors is left as it is. */
static ssize_t transfer_receive_pieces(const struct transfer *transfer, struct pieces pieces, bool first)
{
    if (first)
        return next.recvmsg(transfer->fd, transfer->received, transfer->flags);
    if (transfer->message->msg_control || !transfer_waits_for_all(transfer))
        return 0;
    struct msghdr more = {.msg_iov = (struct iovec *)(uintptr_t)pieces.first, .msg_iovlen = pieces.count};
    return next.recvmsg(transfer->fd, &more, transfer->flags);
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    if (flags & MSG_WAITALL)
        return transfer_whole(&(struct transfer){.fd = fd,
                                                 .flags = flags,
                                                 .bytes = SIZE_MAX,
                                                 .move = transfer_receive_pieces,
                                                 .message = message,
                                                 .received = message},
                              transfer_pieces_part);
    if (!atomic_load(&next.found))
        interpose_find_transfers();
    return next.recvmsg(fd, message, flags);
}

EXPORT ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    return transfer_whole(
        &(struct transfer){
            .fd = fd, .bytes = SIZE_MAX, .pieces = {pieces, (size_t)count}, .move = transfer_write_pieces},
        transfer_pieces_part);
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    return transfer_whole(
        &(struct transfer){
            .fd = fd, .flags = flags, .bytes = SIZE_MAX, .move = transfer_write_pieces, .message = message},
        transfer_pieces_part);
}

/* ---------------------------------------------------------------------------- several messages -- */

/* What these have not transferred can't be known from their arguments, so no tick comes as long as they last. */
#define HELD(call)                                                                                                     \
    ({                                                                                                                 \
        if (!atomic_load(&next.found))                                                                                 \
            interpose_find_transfers();                                                                                \
        unsigned long held = interpose_hold_ticks();                                                                   \
        __typeof__(call) result = call;                                                                                \
        interpose_let_ticks(held);                                                                                     \
        result;                                                                                                        \
    })

EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    return HELD(next.sendmmsg(fd, messages, count, flags));
}

EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
    return HELD(next.recvmmsg(fd, messages, count, flags, timeout));
}

EXPORT ssize_t vmsplice(int fd, const struct iovec *pieces, size_t count, unsigned flags)
{
    return HELD(next.vmsplice(fd, pieces, count, flags));
}
