/*
 * transfer.h - calls that wait until everything is transferred: interpose_transfer.c (bytes at one location) and
 * interpose_pieces.c (several pieces or messages).
 */
#ifndef ASSAY_AGENTS_NATIVE_INTERPOSE_TRANSFER_H
#define ASSAY_AGENTS_NATIVE_INTERPOSE_TRANSFER_H

#include <sys/socket.h>
#include <sys/uio.h>

#include "collect/agents/native/native.h"
#include "collect/sample/restart.h"

/* Whether the C library's functions are known. Before that, interpose_find_transfers() has to be called. */
extern _Atomic bool transfers_found;

/* Finds those of interpose_pieces.c. */
void interpose_find_pieces(void);

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

/* Makes the call again with what is left, as long as nothing but samples cuts it short. */
ssize_t transfer_continue(const struct transfer *transfer, part_function *part, size_t done, unsigned cuts);

size_t transfer_pieces_bytes(struct pieces pieces);

/* Most reads return what there is; but /dev/zero, full, random and urandom always have enough. */
bool transfer_is_endless(int fd);

/* Only with MSG_WAITALL do they wait for everything, and only of a stream: another message is not the rest of this one,
 * and what was only looked at would be looked at again. */
bool transfer_waits_for_all(const struct transfer *transfer);

/* Makes a call that waits for nobody else. */
static inline ssize_t transfer_at_once(const struct transfer *transfer, part_function *part)
{
    if (!atomic_load(&transfers_found))
        interpose_find_transfers();
    unsigned cuts = restart_cuts();
    ssize_t done = part(transfer, 0);
    return done > 0 && cuts != restart_cuts() ? transfer_continue(transfer, part, (size_t)done, cuts) : done;
}

/*
 * Makes a call that may wait for somebody else. In a program with handlers it goes on only if it was for a few bytes,
 * which are rarely cut short (a pipe takes them all at once), and if no handler is one that samples wait for: a sample
 * that comes when such a handler returns looks as if it had cut the call short. A signal comes in the instant between
 * as rarely as in the instant before the call.
 */
static inline ssize_t transfer_whole(struct transfer *transfer, part_function *part)
{
    enum { FEW_BYTES = 4096 };
    if (!atomic_load(&transfers_found))
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

#endif
