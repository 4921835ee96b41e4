#include "analyze/cache/prefetcher.h"

#include <stdbool.h>

void prefetcher_init(struct prefetcher *prefetcher, enum cache_prefetcher kind, unsigned line, unsigned page)
{
    *prefetcher = (struct prefetcher){.kind = kind, .line = line, .page = page};
}

/* The lines that follow the block in this direction, within its page. */
static unsigned prefetcher_list_lines(const struct prefetcher *prefetcher, uint64_t block, int direction, unsigned most,
                                      uint64_t lines[PREFETCHER_LINES_MAX])
{
    uint64_t page = block * prefetcher->line / prefetcher->page;
    unsigned count = 0;
    for (unsigned i = 1; i <= most; i++) {
        uint64_t line = (direction > 0 ? block + i : block - i) * prefetcher->line;
        if (line / prefetcher->page != page)
            break;
        lines[count++] = line;
    }
    return count;
}

unsigned prefetcher_miss(struct prefetcher *prefetcher, uint64_t address, uint64_t lines[PREFETCHER_LINES_MAX])
{
    uint64_t block = address / prefetcher->line, page = block * prefetcher->line / prefetcher->page;
    if (prefetcher->kind == CACHE_PREFETCHER_NEXT_LINE)
        return prefetcher_list_lines(prefetcher, block, 1, 1, lines);
    if (prefetcher->kind != CACHE_PREFETCHER_STREAM)
        return 0;

    /* The stream of the page; if there is none, the one that has not been used for the longest time begins anew there.
     */
    struct prefetcher_stream *stream = &prefetcher->streams[0];
    for (unsigned i = 0; i < PREFETCHER_STREAMS && !(stream->used && stream->page == page); i++)
        if ((prefetcher->streams[i].used && prefetcher->streams[i].page == page) ||
            prefetcher->streams[i].used < stream->used)
            stream = &prefetcher->streams[i];
    if (!stream->used || stream->page != page)
        *stream = (struct prefetcher_stream){.page = page, .last = block};

    unsigned ahead = prefetcher->line < PREFETCHER_AHEAD ? PREFETCHER_AHEAD / prefetcher->line : 1;
    int64_t step = (int64_t)(block - stream->last);
    int direction = step > 0 ? 1 : -1;
    stream->used = ++prefetcher->time;
    if (step == 0)
        return 0;
    bool near = step * direction <= ahead;
    bool turned = stream->direction != 0 && stream->direction != direction;
    stream->direction = near ? direction : 0;
    stream->last = block;
    return near && !turned ? prefetcher_list_lines(prefetcher, block, direction, ahead, lines) : 0;
}
