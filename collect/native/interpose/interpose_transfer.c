/*
 * Calls that wait until everything is transferred, but return early, with what there is so far, if a signal comes: a
 * tick must not show. They go on with the rest if nothing but a tick has cut them short (collect/sample/restart.h);
 * what then fails will fail in the program's next call too, so the part that succeeded is returned.
 */
#include "collect/native/native.h"

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
    next.read_chk = (read_chk_function *)interpose_next("__read_chk");
    next.recv_chk = (recv_chk_function *)interpose_next("__recv_chk");
    next.recvfrom_chk = (recvfrom_chk_function *)interpose_next("__recvfrom_chk");
    atomic_store(&next.found, true);
}

struct pieces {
    const struct iovec *first;
    size_t count;
};

/* What a call is asked for: the bytes at a place, or several pieces. */
struct transfer {
    int fd, flags;
    char *place;
    size_t bytes;
    struct pieces pieces;
    const struct msghdr *message;
    struct sockaddr *address;
    socklen_t sent_length, *received_length; /* of the address */
    off_t *offset;                           /* in file `source` */
    int source;
};

/* Transfers what follows the first `done` bytes. */
typedef ssize_t part_function(const struct transfer *transfer, size_t done);

static ssize_t go_on(const struct transfer *transfer, part_function *part, size_t done, unsigned cuts)
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

static size_t bytes_of(struct pieces pieces)
{
    size_t sum = 0;
    for (size_t i = 0; i < pieces.count; i++)
        sum += pieces.first[i].iov_len;
    return sum;
}

/* Makes a call that waits for nobody else. */
static inline ssize_t at_once(const struct transfer *transfer, part_function *part)
{
    if (!atomic_load(&next.found))
        interpose_find_transfers();
    unsigned cuts = restart_cuts();
    ssize_t done = part(transfer, 0);
    return done > 0 && cuts != restart_cuts() ? go_on(transfer, part, (size_t)done, cuts) : done;
}

static ssize_t without_ticks(const struct transfer *transfer, part_function *part)
{
    unsigned long held = interpose_hold_ticks();
    ssize_t done = part(transfer, 0);
    interpose_let_ticks(held);
    return done;
}

/*
 * Makes a call that may wait for somebody else. In a program with handlers it goes on only if it was for a few bytes,
 * which are rarely cut short (a pipe takes them all at once), and if no handler is one that ticks wait for: a tick that
 * comes when such a handler returns looks as if it had cut the call short. A signal comes in the instant between as
 * rarely as in the instant before the call.
 */
static inline ssize_t whole(struct transfer *transfer, part_function *part)
{
    enum { FEW_BYTES = 4096 };
    if (!atomic_load(&next.found))
        interpose_find_transfers();
    if (interpose_handles_signals() && transfer->bytes > FEW_BYTES)
        return without_ticks(transfer, part);
    unsigned cuts = restart_cuts();
    ssize_t done = part(transfer, 0);
    if (done <= 0 || cuts == restart_cuts())
        return done;
    /* Now they are known to be valid. */
    if (transfer->message)
        transfer->pieces = (struct pieces){transfer->message->msg_iov, transfer->message->msg_iovlen};
    if (transfer->pieces.count > 0)
        transfer->bytes = bytes_of(transfer->pieces);
    if ((size_t)done >= transfer->bytes ||
        restart_program_handles_signals(interpose_handles_signals() ? mask_ticks() : 0))
        return done;
    return go_on(transfer, part, (size_t)done, cuts);
}

/* ---------------------------------------------------------------------------- one place -- */

static ssize_t write_part(const struct transfer *transfer, size_t done)
{
    return next.write(transfer->fd, transfer->place + done, transfer->bytes - done);
}

EXPORT ssize_t write(int fd, const void *bytes, size_t count)
{
    return whole(&(struct transfer){.fd = fd, .place = (char *)(uintptr_t)bytes, .bytes = count}, write_part);
}

static ssize_t send_part(const struct transfer *transfer, size_t done)
{
    return next.send(transfer->fd, transfer->place + done, transfer->bytes - done, transfer->flags);
}

EXPORT ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
    return whole(&(struct transfer){.fd = fd, .flags = flags, .place = (char *)(uintptr_t)bytes, .bytes = count},
                 send_part);
}

static ssize_t sendto_part(const struct transfer *transfer, size_t done)
{
    return next.sendto(transfer->fd, transfer->place + done, transfer->bytes - done, transfer->flags, transfer->address,
                       transfer->sent_length);
}

EXPORT ssize_t sendto(int fd, const void *bytes, size_t count, int flags, const struct sockaddr *address,
                      socklen_t length)
{
    return whole(&(struct transfer){.fd = fd,
                                    .flags = flags,
                                    .place = (char *)(uintptr_t)bytes,
                                    .bytes = count,
                                    .address = (struct sockaddr *)(uintptr_t)address,
                                    .sent_length = length},
                 sendto_part);
}

static ssize_t random_part(const struct transfer *transfer, size_t done)
{
    return next.getrandom(transfer->place + done, transfer->bytes - done, (unsigned)transfer->flags);
}

EXPORT ssize_t getrandom(void *bytes, size_t count, unsigned flags)
{
    return at_once(&(struct transfer){.flags = (int)flags, .place = bytes, .bytes = count}, random_part);
}

static ssize_t sendfile_part(const struct transfer *transfer, size_t done)
{
    return next.sendfile(transfer->fd, transfer->source, transfer->offset, transfer->bytes - done);
}

EXPORT ssize_t sendfile(int fd, int source, off_t *offset, size_t count)
{
    return whole(&(struct transfer){.fd = fd, .source = source, .offset = offset, .bytes = count}, sendfile_part);
}

static ssize_t sendfile64_part(const struct transfer *transfer, size_t done)
{
    return next.sendfile64(transfer->fd, transfer->source, transfer->offset, transfer->bytes - done);
}

EXPORT ssize_t sendfile64(int fd, int source, off_t *offset, size_t count)
{
    return whole(&(struct transfer){.fd = fd, .source = source, .offset = offset, .bytes = count}, sendfile64_part);
}

/* Most reads return what there is; but /dev/zero, full, random and urandom always have enough. */
static bool is_endless(int fd)
{
    enum { MEMORY_DEVICES = 1, ZERO = 5, FULL = 7, RANDOM = 8, URANDOM = 9 };
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISCHR(status.st_mode) || major(status.st_rdev) != MEMORY_DEVICES)
        return false;
    unsigned device = minor(status.st_rdev);
    return device == ZERO || device == FULL || device == RANDOM || device == URANDOM;
}

static ssize_t read_part(const struct transfer *transfer, size_t done)
{
    if (done > 0 && !is_endless(transfer->fd))
        return 0;
    return next.read(transfer->fd, transfer->place + done, transfer->bytes - done);
}

EXPORT ssize_t read(int fd, void *bytes, size_t count)
{
    return at_once(&(struct transfer){.fd = fd, .place = bytes, .bytes = count}, read_part);
}

/* Only with MSG_WAITALL do they wait for everything, and only of a stream: another message is not the rest of this one,
 * and what was only looked at would be looked at again. */
static bool waits_for_all(const struct transfer *transfer)
{
    int type;
    socklen_t length = sizeof type;
    return (transfer->flags & (MSG_WAITALL | MSG_PEEK)) == MSG_WAITALL &&
           getsockopt(transfer->fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
}

static ssize_t recv_part(const struct transfer *transfer, size_t done)
{
    if (done > 0 && !waits_for_all(transfer))
        return 0;
    return next.recv(transfer->fd, transfer->place + done, transfer->bytes - done, transfer->flags);
}

EXPORT ssize_t recv(int fd, void *bytes, size_t count, int flags)
{
    return whole(&(struct transfer){.fd = fd, .flags = flags, .place = bytes, .bytes = count}, recv_part);
}

static ssize_t recvfrom_part(const struct transfer *transfer, size_t done)
{
    if (done > 0 && !waits_for_all(transfer))
        return 0;
    return next.recvfrom(transfer->fd, transfer->place + done, transfer->bytes - done, transfer->flags,
                         transfer->address, transfer->received_length);
}

EXPORT ssize_t recvfrom(int fd, void *bytes, size_t count, int flags, struct sockaddr *address, socklen_t *length)
{
    return whole(
        &(struct transfer){
            .fd = fd, .flags = flags, .place = bytes, .bytes = count, .address = address, .received_length = length},
        recvfrom_part);
}

/* ---------------------------------------------------------------------------- fortified -- */

/* As _FORTIFY_SOURCE has them: they end a program that asks for more than there is room for. */
EXPORT ssize_t __read_chk(int fd, void *bytes, size_t count, size_t room);
EXPORT ssize_t __read_chk(int fd, void *bytes, size_t count, size_t room)
{
    if (!atomic_load(&next.found))
        interpose_find_transfers();
    return count > room ? next.read_chk(fd, bytes, count, room) : read(fd, bytes, count);
}

EXPORT ssize_t __recv_chk(int fd, void *bytes, size_t count, size_t room, int flags);
EXPORT ssize_t __recv_chk(int fd, void *bytes, size_t count, size_t room, int flags)
{
    if (!atomic_load(&next.found))
        interpose_find_transfers();
    return count > room ? next.recv_chk(fd, bytes, count, room, flags) : recv(fd, bytes, count, flags);
}

EXPORT ssize_t __recvfrom_chk(int fd, void *bytes, size_t count, size_t room, int flags, struct sockaddr *address,
                              socklen_t *length);
EXPORT ssize_t __recvfrom_chk(int fd, void *bytes, size_t count, size_t room, int flags, struct sockaddr *address,
                              socklen_t *length)
{
    if (!atomic_load(&next.found))
        interpose_find_transfers();
    return count > room ? next.recvfrom_chk(fd, bytes, count, room, flags, address, length)
                        : recvfrom(fd, bytes, count, flags, address, length);
}

/* ---------------------------------------------------------------------------- several pieces -- */

/* What follows the first `done` bytes: *rest, of a piece of which some is done, or whole pieces. */
static struct pieces after(struct pieces pieces, size_t done, struct iovec *rest)
{
    while (pieces.count > 0 && done > 0 && done >= pieces.first->iov_len) {
        done -= pieces.first->iov_len;
        pieces.first++;
        pieces.count--;
    }
    if (done == 0 || pieces.count == 0)
        return pieces;
    *rest = (struct iovec){(char *)pieces.first->iov_base + done, pieces.first->iov_len - done};
    return (struct pieces){rest, 1};
}

static ssize_t put_pieces(const struct transfer *transfer, struct pieces pieces, bool first)
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

static ssize_t pieces_part(const struct transfer *transfer, size_t done)
{
    struct iovec rest;
    struct pieces left = done > 0 ? after(transfer->pieces, done, &rest) : transfer->pieces;
    ssize_t put = put_pieces(transfer, left, done == 0);
    if (done == 0 || left.first != &rest || put < 0 || (size_t)put < rest.iov_len ||
        done + rest.iov_len == transfer->bytes)
        return put;
    ssize_t others = pieces_part(transfer, done + rest.iov_len);
    return others > 0 ? put + others : put;
}

EXPORT ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    return whole(&(struct transfer){.fd = fd, .bytes = SIZE_MAX, .pieces = {pieces, (size_t)count}}, pieces_part);
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    return whole(&(struct transfer){.fd = fd, .flags = flags, .bytes = SIZE_MAX, .message = message}, pieces_part);
}
