#include "trace/import/pprof/labels.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The later ones are the more reliable: the operating system's numbers are those that other profilers see. */
static const struct {
    const char *key;
    bool is_name;
} known[] = {{"thread", true},      {"thread_name", true},   {"thread name", true},      {"thread.name", true},
             {"thread_comm", true}, {"thread_id", false},    {"thread id", false},       {"thread.id", false},
             {"tid", false},        {"os_thread_id", false}, {"thread native id", false}};
enum { KNOWN = sizeof known / sizeof *known, NUMBER_AS_NAME = 1 };

/* Its index in `known` + 2; 0: it is not one of a thread. */
static unsigned labels_rank(const char *key)
{
    for (unsigned i = 0; i < KNOWN; i++)
        if (strcmp(known[i].key, key) == 0)
            return i + 1 + NUMBER_AS_NAME;
    return 0;
}

bool labels_is_thread(const char *key)
{
    return labels_rank(key) > 0;
}

static void labels_set_name(struct labels *labels, const char *name, unsigned rank)
{
    if (rank > labels->name_rank) {
        labels->name = name;
        labels->name_rank = rank;
    }
}

static void labels_set_tid(struct labels *labels, uint64_t tid, unsigned rank)
{
    if (rank > labels->tid_rank) {
        labels->tid = tid;
        labels->tid_rank = rank;
    }
}

/* A number may be written as a text ("17", or "17 (4)"); any other text in its place is a name if there is no better
 * one. */
void labels_add(struct labels *labels, const char *key, const char *text, int64_t number)
{
    unsigned rank = labels_rank(key);
    if (rank == 0)
        return;
    char *end;
    uint64_t parsed = strtoull(text, &end, 10);
    bool numeric = *text >= '0' && *text <= '9' && (*end == '\0' || *end == ' ');
    if (!*text)
        labels_set_tid(labels, number > 0 ? (uint64_t)number : 0, rank);
    else if (known[rank - 1 - NUMBER_AS_NAME].is_name)
        labels_set_name(labels, text, rank);
    else if (numeric)
        labels_set_tid(labels, parsed, rank);
    else
        labels_set_name(labels, text, NUMBER_AS_NAME);
}
