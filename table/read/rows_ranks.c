#include "table/read/rows_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/text_stream.h"

enum reply { GO_ON, STOP };

/* A message begins with this; the state follows. Its pointers mean nothing to the receiver. */
struct head {
    bool is_end; /* of the sender's parts: no result, but its status */
    bool is_unread;
    bool has_state;
    uint64_t length; /* of the part's text, and its checksum */
    uint32_t checksum;
    struct rows_result result;
};

int rows_ranks_init(struct rows_ranks *ranks, const struct rows_share *share)
{
    *ranks = (struct rows_ranks){.share = share};
    if (!share || share->rank > 0)
        return 0;
    ranks->ended = calloc((size_t)share->size, sizeof *ranks->ended);
    return ranks->ended ? 0 : -1;
}

void rows_ranks_free(struct rows_ranks *ranks)
{
    free(ranks->ended);
    *ranks = (struct rows_ranks){0};
}

int rows_ranks_size(const struct rows_ranks *ranks)
{
    return ranks->share ? ranks->share->size : 1;
}

int rows_ranks_owner(struct rows_ranks *ranks)
{
    return (int)(ranks->cut++ % (uint64_t)rows_ranks_size(ranks));
}

/* ------------------------------------------------------------------------------------------ ranks other than 0 -- */

void rows_ranks_pack(const struct rows_part *part, uint32_t checksum, struct rows_result *result,
                     const struct rows_consumer *consumer, struct rows_message *message)
{
    const struct head head = {.is_unread = part->status != STATUS_GOOD,
                              .has_state = result->state && !result->status,
                              .length = part->length,
                              .checksum = checksum,
                              .result = *result};
    *message = (struct rows_message){NULL, 0};
    FILE *to = text_stream_open(&message->bytes, &message->size);
    bool good = to && fwrite(&head, sizeof head, 1, to) == 1;
    if (good && head.has_state)
        good = consumer->save(result->state, to) == 0;
    good = text_stream_close(to, &message->bytes) && good;
    if (result->state)
        consumer->free(result->state);
    if (good)
        return;
    free(message->bytes);
    *message = (struct rows_message){NULL, 0};
}

static bool ranks_may_continue(struct rows_ranks *ranks)
{
    if (ranks->no_result) {
        size_t size;
        char *reply = ranks->share->receive(0, &size);
        ranks->stopped = *reply == STOP;
        ranks->no_result = false;
        free(reply);
    }
    return !ranks->stopped;
}

bool rows_ranks_send(struct rows_ranks *ranks, const struct rows_message *message)
{
    if (!ranks_may_continue(ranks))
        return false;
    ranks->share->send(0, message->bytes, message->size);
    ranks->no_result = true;
    return true;
}

void rows_ranks_end(struct rows_ranks *ranks, int status, const struct error_text *error)
{
    struct head head = {.is_end = true, .result.status = status};
    if (!ranks_may_continue(ranks))
        return;
    if (status)
        head.result.message = *error;
    ranks->share->send(0, &head, sizeof head);
}

/* ------------------------------------------------------------------------------------------ rank 0 -- */

static void ranks_send_reply(const struct rows_ranks *ranks, int rank, enum reply reply)
{
    const char byte = (char)reply;
    ranks->share->send(rank, &byte, sizeof byte);
}

static struct head ranks_message_head(const struct rows_message *message)
{
    struct head head = {.is_end = true};
    if (message->bytes)
        memcpy(&head, message->bytes, sizeof head);
    return head;
}

void rows_ranks_receive(struct rows_ranks *ranks, int rank, struct rows_message *message)
{
    *message = (struct rows_message){NULL, 0};
    if (ranks->ended[rank])
        return;
    message->bytes = ranks->share->receive(rank, &message->size);
    ranks->ended[rank] = ranks_message_head(message).is_end;
    if (!ranks->ended[rank])
        ranks_send_reply(ranks, rank, GO_ON);
}

static int ranks_report_failure(int rank, const struct error_text *why, struct error_text *error)
{
    return error_set(error, STATUS_BAD, "rank %d: %.980s", rank, why->text);
}

void rows_ranks_unpack(const struct rows_part *part, int rank, struct rows_message *message,
                       const struct rows_consumer *consumer, const struct rows_columns *columns,
                       struct rows_result *result)
{
    const struct head head = ranks_message_head(message);
    *result = (struct rows_result){0};
    if ((head.is_end || head.is_unread) && head.result.status) {
        result->status = ranks_report_failure(rank, &head.result.message, &result->message);
    } else if (head.is_end || head.length != part->length ||
               head.checksum != checksum_crc32c(part->text, part->length)) {
        result->status =
            error_set(&result->message, STATUS_BAD, "rank %d: %.300s: is not the file that rank 0 sees, or has changed",
                      rank, part->table->path);
    } else {
        *result = head.result;
        result->table = part->table;
        result->first = part->first;
        result->last = part->last;
        result->state = NULL;
        if (head.has_state) {
            FILE *from = fmemopen(message->bytes + sizeof(struct head), message->size - sizeof(struct head), "r");
            if (!from || consumer->load(&result->state, columns, consumer->own, from) != 0)
                result->status = error_set(&result->message, STATUS_BAD, "out of memory");
            if (from)
                fclose(from);
        }
    }
    free(message->bytes);
    *message = (struct rows_message){NULL, 0};
}

int rows_ranks_stop(struct rows_ranks *ranks, struct error_text *error)
{
    int status = STATUS_GOOD;
    for (int rank = 1; rank < rows_ranks_size(ranks); rank++) {
        if (ranks->ended && ranks->ended[rank])
            continue;
        struct rows_message message;
        message.bytes = ranks->share->receive(rank, &message.size);
        const struct head head = ranks_message_head(&message);
        free(message.bytes);
        if (!head.is_end)
            ranks_send_reply(ranks, rank, STOP);
        if (status)
            continue;
        if (head.is_end && head.result.status)
            status = ranks_report_failure(rank, &head.result.message, error);
        else if (!head.is_end)
            status = error_set(error, STATUS_BAD, "rank %d: sees more in the files than rank 0", rank);
    }
    return status;
}
