#include "collect/accesses/methods.h"

#include <pthread.h>
#include <string.h>

#include "base/grow.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct method *all; /* [number] */
static uint32_t count;
static size_t capacity;

/* The texts are in the part that `size` bounds, and the last of them ends there. */
static bool read_names(const char *at, const char *end, struct method *method)
{
    const char **names[] = {&method->class_name, &method->name, &method->descriptor, &method->file};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *next = memchr(at, '\0', (size_t)(end - at));
        if (!next)
            return false;
        *names[i] = at;
        at = next + 1;
    }
    return true;
}

static bool read_description(const void *description, size_t size, struct method *method)
{
    uint32_t head[3];
    const char *text = description;
    if (size < sizeof head)
        return false;
    memcpy(head, description, sizeof head);
    *method = (struct method){.access_count = head[1], .call_count = head[2]};
    if (head[0] > size || head[0] % sizeof(uint64_t) != 0 || head[0] < sizeof head ||
        (size - head[0]) / sizeof(uint64_t) < (uint64_t)head[1] + head[2])
        return false;
    method->accesses = (const void *)(text + head[0]);
    method->calls = method->accesses + head[1];
    return read_names(text + sizeof head, text + head[0], method);
}

uint32_t methods_add(const void *description, size_t size)
{
    struct method method;
    if (!read_description(description, size, &method))
        return 0;
    pthread_mutex_lock(&lock);
    struct method *grown = grow_unset(all, &capacity, count + 1, sizeof *all);
    uint32_t number = grown ? ++count : 0;
    if (grown) {
        all = grown;
        all[number] = method;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

bool methods_at(uint32_t number, struct method *method)
{
    pthread_mutex_lock(&lock);
    bool known = number > 0 && number <= count;
    if (known)
        *method = all[number];
    pthread_mutex_unlock(&lock);
    return known;
}
