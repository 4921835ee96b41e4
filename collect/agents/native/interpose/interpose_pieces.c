/*
 * Calls that transfer several pieces or messages, and go on with the rest when a sample has cut them short: see
 * interpose_transfer.c.
 */
#include "collect/agents/native/interpose/transfer.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>

typedef ssize_t writev_function(int, const struct iovec *, int);
typedef ssize_t preadv_function(int, const struct iovec *, int, off_t);
typedef ssize_t sendmsg_function(int, const struct msghdr *, int);
typedef ssize_t recvmsg_function(int, struct msghdr *, int);
typedef int sendmmsg_function(int, struct mmsghdr *, unsigned, int);
typedef int recvmmsg_function(int, struct mmsghdr *, unsigned, int, struct timespec *);
typedef ssize_t vmsplice_function(int, const struct iovec *, size_t, unsigned);

static struct {
    writev_function *writev, *readv;
    preadv_function *preadv;
    sendmsg_function *sendmsg;
    recvmsg_function *recvmsg;
    sendmmsg_function *sendmmsg;
    recvmmsg_function *recvmmsg;
    vmsplice_function *vmsplice;
} next;

void interpose_find_pieces(void)
{
    next.writev = (writev_function *)interpose_next("writev");
    next.readv = (writev_function *)interpose_next("readv");
    next.preadv = (preadv_function *)interpose_next("preadv64");
    next.sendmsg = (sendmsg_function *)interpose_next("sendmsg");
    next.recvmsg = (recvmsg_function *)interpose_next("recvmsg");
    next.sendmmsg = (sendmmsg_function *)interpose_next("sendmmsg");
    next.recvmmsg = (recvmmsg_function *)interpose_next("recvmmsg");
    next.vmsplice = (vmsplice_function *)interpose_next("vmsplice");
}

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
    if (!atomic_load(&transfers_found))
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
    if (!atomic_load(&transfers_found))
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
    if (!atomic_load(&transfers_found))
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

/* What these have not transferred can't be known from their arguments, so no sample comes as long as they last. */
#define HELD(call)                                                                                                     \
    ({                                                                                                                 \
        if (!atomic_load(&transfers_found))                                                                            \
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
