/*
 * net.h - sums of weights of either sign, by thread and stack: what a difference of two profiles amounts to.
 * Memory: distinct threads and stacks.
 */
#ifndef ASSAY_TRACE_IMPORT_NET_H
#define ASSAY_TRACE_IMPORT_NET_H

#include "trace/import/reading.h"
#include "base/hash.h"

/* Starts as {0}. */
struct net {
    struct net_sum *sums; /* from 1 */
    uint32_t count;
    size_t capacity;
    uint32_t *frames;
    size_t frame_count, frame_capacity;
    struct hash hash;
    bool timed; /* some samples had times */
};

/* Adds a sample; its own weight is not used, and its further weights are of either sign, in two's complement. False
 * without memory. */
bool net_add_sample(struct net *net, const struct sink_sample *sample, int64_t weight);

/* Passes the sums, those below 0 as 0, to the sink, in the order of their first samples and without times, and notes
 * what the others amount to. */
void net_pass_sums(const struct net *net, struct reading *reading, const char *profile);
void net_free(struct net *net);

#endif
