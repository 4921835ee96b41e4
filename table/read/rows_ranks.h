/*
 * rows_ranks.h - internal to rows_read(): what processes that share out the parts (rows_request.share) send each other.
 *
 * Part p belongs to rank p % size. Ranks send what their parts have given in the order of the parts, one message each,
 * but none before rank 0 has answered the one before: that keeps a rank from running far ahead, and tells it to stop
 * when rank 0 wants no more, for example after a bad row. A rank that was not told to stop at last says that it has no
 * more, or why. Rank 0 waits for the owner of the next part, and the others only for rank 0; so messages that wait for
 * their receipt can't make a deadlock.
 */
#ifndef ASSAY_TABLE_READ_ROWS_RANKS_H
#define ASSAY_TABLE_READ_ROWS_RANKS_H

#include "table/read/rows_parts.h"

struct rows_ranks {
    const struct rows_share *share; /* NULL: there are no others */
    uint64_t cut;                   /* parts so far */
    bool *ended;                    /* rank 0: [size], which of the others have said so */
    bool no_result, stopped;        /* another: its last message; and whether rank 0 wants no more */
};

struct rows_message {
    char *bytes; /* NULL if there is none */
    size_t size;
};

/* -1 without memory. To be freed in either case. */
int rows_ranks_init(struct rows_ranks *ranks, const struct rows_share *share);
void rows_ranks_free(struct rows_ranks *ranks);

int rows_ranks_size(const struct rows_ranks *ranks); /* 1 if there are no others */

/* The owner of the part that has just been cut. To be called once for each part, in their order. */
int rows_ranks_owner(struct rows_ranks *ranks);

/* For ranks other than 0. */

/* Makes a message of a part's result and frees its state; no bytes without memory. checksum: that of its text. */
void rows_ranks_pack(const struct rows_part *part, uint32_t checksum, struct rows_result *result,
                     const struct rows_consumer *consumer, struct rows_message *message);
/* False: not sent, rank 0 wants no more. */
bool rows_ranks_send(struct rows_ranks *ranks, const struct rows_message *message);
/* After the last part. With a status: the reason why this rank can't send more. */
void rows_ranks_end(struct rows_ranks *ranks, int status, const struct error_text *error);

/* For rank 0. */

/* The next message of this rank, and the answer to it; no bytes if it has ended before. */
void rows_ranks_receive(struct rows_ranks *ranks, int rank, struct rows_message *message);
/* What the part has given to the rank that sent this message, which is freed. */
void rows_ranks_unpack(const struct rows_part *part, int rank, struct rows_message *message,
                       const struct rows_consumer *consumer, const struct rows_columns *columns,
                       struct rows_result *result);
/* Stops all that have not ended. Returns 0, or a status with a error if one had more, or had failed. */
int rows_ranks_stop(struct rows_ranks *ranks, struct error_text *error);

#endif
