#include "trace/import/net.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct net_sum {
    struct sink_sample sample; /* without its frames, which are at `first` */
    size_t first;
    __int128 weights[1 + SINK_MORE_MAX]; /* the weight, then further ones */
};

struct net_key {
    const struct net *net;
    const struct sink_sample *sample;
};

static bool net_sum_equal(const void *user, uint32_t id)
{
    const struct net_key *key = user;
    const struct net_sum *sum = &key->net->sums[id];
    const struct sink_sample *sample = key->sample;
    return sum->sample.profile == sample->profile && sum->sample.thread == sample->thread &&
           sum->sample.depth == sample->depth &&
           (sample->depth == 0 ||
            memcmp(key->net->frames + sum->first, sample->frames, sample->depth * sizeof *sample->frames) == 0);
}

static void net_sum_add_weights(struct net_sum *sum, const struct sink_sample *sample, int64_t weight)
{
    sum->weights[0] += weight;
    for (size_t i = 0; i < SINK_MORE_MAX; i++)
        sum->weights[1 + i] += (int64_t)sample->more[i];
}

bool net_add_sample(struct net *net, const struct sink_sample *sample, int64_t weight)
{
    const struct net_key key = {net, sample};
    uint64_t hash = hash_mix(sample->profile, sample->thread);
    net->timed |= sample->time_ns > 0;
    for (size_t i = 0; i < sample->depth; i++)
        hash = hash_mix(hash, sample->frames[i]);
    uint32_t id = hash_find(&net->hash, hash, net_sum_equal, &key);
    if (!id) {
        struct net_sum *sums = grow_unset(net->sums, &net->capacity, net->count + 1, sizeof *sums);
        if (!sums)
            return false;
        net->sums = sums;
        uint32_t *frames =
            grow_unset(net->frames, &net->frame_capacity, net->frame_count + sample->depth, sizeof *frames);
        if (!frames)
            return false;
        net->frames = frames;
        if (hash_add(&net->hash, hash, net->count + 1))
            return false;
        if (sample->depth > 0)
            memcpy(frames + net->frame_count, sample->frames, sample->depth * sizeof *frames);
        sums[++net->count] = (struct net_sum){*sample, net->frame_count, {0}};
        sums[net->count].sample.time_ns = 0;
        net->frame_count += sample->depth;
        net_sum_add_weights(&sums[net->count], sample, weight);
        return true;
    }
    net_sum_add_weights(&net->sums[id], sample, weight);
    return true;
}

/* 0 for what is less. */
static uint64_t net_positive_part(__int128 weight, struct reading *reading)
{
    if (weight > (__int128)UINT64_MAX)
        reading_report_bad(reading, "a stack whose weights sum up to more than 64 bits");
    return weight > (__int128)UINT64_MAX ? UINT64_MAX : weight > 0 ? (uint64_t)weight : 0;
}

void net_pass_sums(const struct net *net, struct reading *reading, const char *profile)
{
    long double taken = 0, left = 0;
    uint64_t left_stacks = 0;
    for (uint32_t i = 1; i <= net->count; i++) {
        struct sink_sample sample = net->sums[i].sample;
        const __int128 weight = net->sums[i].weights[0];
        sample.frames = net->frames + net->sums[i].first;
        sample.weight = net_positive_part(weight, reading);
        for (size_t more = 0; more < SINK_MORE_MAX; more++)
            sample.more[more] = net_positive_part(net->sums[i].weights[1 + more], reading);
        sink_add_sample(reading->sink, &sample);
        *(weight > 0 ? &taken : &left) += (long double)weight;
        left_stacks += weight < 0;
    }
    error_append(&reading->note,
                 "'%.100s' has negative values, as the difference of two profiles has: the net of each stack was "
                 "imported%s, %.0Lf in all",
                 profile, net->timed ? ", without times" : "", taken);
    if (left_stacks > 0)
        error_append(&reading->note, "%" PRIu64 " stack%s, with a net of %.0Lf in all, %s left out", left_stacks,
                     left_stacks == 1 ? "" : "s", left, left_stacks == 1 ? "is" : "are");
}

void net_free(struct net *net)
{
    hash_free(&net->hash);
    free(net->sums);
    free(net->frames);
    *net = (struct net){0};
}
