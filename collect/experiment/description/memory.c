#include "collect/experiment/description/memory.h"

#include <stdarg.h>
#include <stdio.h>

char *memory_print(struct obstack *memory, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = obstack_vprintf(memory, format, args);
    va_end(args);
    if (length < 0)
        obstack_alloc_failed_handler();
    return memory_finish(memory);
}
