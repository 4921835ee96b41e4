#include "trace/names/thread_name.h"

#include <inttypes.h>
#include <stdio.h>

void thread_name(const struct trace_names *names, uint32_t stream, char *text, size_t size)
{
    const char *name = names->threads[stream < names->thread_count ? stream : 0].name;
    if (*name)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "thread %" PRIu32, stream);
}
