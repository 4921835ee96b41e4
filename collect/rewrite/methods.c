#include "collect/rewrite/methods.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct method *all; /* [number] */
static uint32_t count;
static size_t capacity;

/* Those below `added` that have a name. */
static struct {
    struct hash names; /* an id is the number of the first method with a name */
    uint32_t *latest;  /* [id]: the last one with this name */
    size_t capacity;
    uint32_t added;
} named = {.added = 1};

uint32_t methods_reserve(void)
{
    pthread_mutex_lock(&lock);
    struct method *grown = grow(all, &capacity, count + 1, sizeof *all);
    uint32_t number = grown ? ++count : 0;
    if (grown)
        all = grown;
    pthread_mutex_unlock(&lock);
    return number;
}

bool methods_define(uint32_t number, const void *description, size_t size)
{
    uint32_t head[4];
    const char *text = description;
    if (size < sizeof head)
        return false;
    memcpy(head, description, sizeof head);
    struct method method = {.access_count = head[1], .call_count = head[2], .loop_count = head[3]};
    if (head[0] > size || head[0] % sizeof(uint64_t) != 0 || head[0] < sizeof head ||
        (size - head[0]) / sizeof(uint64_t) < (uint64_t)head[1] + 2 * (uint64_t)head[2] + head[3])
        return false;
    method.accesses = (const void *)(text + head[0]);
    method.calls = method.accesses + head[1];
    method.around_calls = method.calls + head[2];
    method.loops = method.around_calls + head[2];
    /* The texts are in the part that `size` bounds, and the last of them ends there. */
    const char *at = text + sizeof head;
    const char *end = text + head[0];
    const char **names[] = {&method.class_name, &method.name, &method.descriptor, &method.file};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *next = memchr(at, '\0', (size_t)(end - at));
        if (!next)
            return false;
        *names[i] = at;
        at = next + 1;
    }
    pthread_mutex_lock(&lock);
    bool reserved = number > 0 && number <= count;
    if (reserved)
        all[number] = method;
    pthread_mutex_unlock(&lock);
    return reserved;
}

char *methods_class_name(char *signature)
{
    char *end = strchr(signature, ';');
    if (*signature != 'L' || !end)
        return signature;
    *end = '\0';
    for (char *at = signature; *at; at++)
        if (*at == '/')
            *at = '.';
    return signature + 1;
}

uint32_t methods_name(const char *class_name, const char *name)
{
    char *class_copy = strdup(class_name), *name_copy = strdup(name);
    uint32_t number = class_copy && name_copy ? methods_reserve() : 0;
    if (!number) {
        free(class_copy);
        free(name_copy);
        return 0;
    }
    pthread_mutex_lock(&lock);
    all[number] = (struct method){.class_name = class_copy, .name = name_copy, .descriptor = "", .file = ""};
    pthread_mutex_unlock(&lock);
    return number;
}

bool methods_at(uint32_t number, struct method *method)
{
    pthread_mutex_lock(&lock);
    bool known = number > 0 && number <= count && all[number].name;
    if (known)
        *method = all[number];
    pthread_mutex_unlock(&lock);
    return known;
}

static bool methods_names_match(const void *user, uint32_t id)
{
    const struct method *wanted = user, *method = &all[id];
    return strcmp(method->name, wanted->name) == 0 && strcmp(method->class_name, wanted->class_name) == 0 &&
           strcmp(method->descriptor, wanted->descriptor) == 0;
}

static uint32_t methods_find_named(const struct method *method, uint64_t *hash)
{
    *hash = hash_text(method->descriptor, hash_text(method->name, hash_text(method->class_name, 0)));
    return hash_find(&named.names, *hash, methods_names_match, method);
}

uint32_t methods_find(const char *class_name, const char *name, const char *descriptor)
{
    struct method wanted = {.class_name = class_name, .name = name, .descriptor = descriptor};
    uint64_t hash;
    pthread_mutex_lock(&lock);
    for (; named.added <= count; named.added++) { /* since the last time */
        uint32_t number = named.added, *grown = grow(named.latest, &named.capacity, number, sizeof *grown);
        if (!grown)
            break;
        named.latest = grown;
        if (!all[number].name)
            continue;
        uint32_t first = methods_find_named(&all[number], &hash);
        if (first)
            named.latest[first] = number;
        else if (hash_add(&named.names, hash, number) == 0)
            named.latest[number] = number;
    }
    uint32_t first = methods_find_named(&wanted, &hash), number = first ? named.latest[first] : 0;
    pthread_mutex_unlock(&lock);
    return number;
}
