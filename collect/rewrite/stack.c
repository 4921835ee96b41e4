/* stack.c - which rewritten methods run in a thread, for bursts that begin while they do. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "collect/rewrite/agent.h"
#include "collect/rewrite/methods.h"

enum { DEPTH_MOST = 1 << 13 };

/* The numbers of methods that the JVM has named before. */
static struct {
    pthread_mutex_t lock;
    struct hash known; /* an id is an index into the next two, plus 1 */
    jmethodID *methods;
    uint32_t *numbers;
    size_t method_capacity, number_capacity;
    uint32_t count;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool stack_method_matches(const void *method, uint32_t id)
{
    return cache.methods[id - 1] == *(const jmethodID *)method;
}

/* The number of a method by its names; 0: it is not rewritten. A copy (Accesses.copyOf()) stands for another method. */
static uint32_t stack_method_number(JNIEnv *env, jmethodID method)
{
    static const char COPY[] = "assay$i$";
    jvmtiEnv *jvmti = agent.jvmti;
    uint64_t hash = hash_mix((uint64_t)(uintptr_t)method, 0);
    pthread_mutex_lock(&cache.lock);
    uint32_t id = hash_find(&cache.known, hash, stack_method_matches, &method), number = id ? cache.numbers[id - 1] : 0;
    if (!id) {
        char *name = NULL, *descriptor = NULL, *class_name = NULL;
        jclass class = NULL;
        if ((*jvmti)->GetMethodName(jvmti, method, &name, &descriptor, NULL) == JVMTI_ERROR_NONE &&
            (*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) == JVMTI_ERROR_NONE &&
            (*jvmti)->GetClassSignature(jvmti, class, &class_name, NULL) == JVMTI_ERROR_NONE)
            number = methods_find(methods_class_name(class_name),
                                  strncmp(name, COPY, strlen(COPY)) == 0 ? name + strlen(COPY) : name, descriptor);
        (*env)->DeleteLocalRef(env, class);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)class_name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        jmethodID *methods = grow_unset(cache.methods, &cache.method_capacity, cache.count, sizeof(jmethodID));
        uint32_t *numbers = grow_unset(cache.numbers, &cache.number_capacity, cache.count, sizeof(uint32_t));
        cache.methods = methods ? methods : cache.methods;
        cache.numbers = numbers ? numbers : cache.numbers;
        if (methods && numbers && hash_add(&cache.known, hash, cache.count + 1) == 0) {
            methods[cache.count] = method;
            numbers[cache.count++] = number;
        }
    }
    pthread_mutex_unlock(&cache.lock);
    return number;
}

size_t stack_find_frames(JNIEnv *env, struct stack_frame *frames, size_t most, bool *all_found)
{
    jint depth = 0;
    size_t count = 0;
    *all_found = true;
    jvmtiFrameInfo *all = malloc(DEPTH_MOST * sizeof *all);
    if (!all || (*agent.jvmti)->GetStackTrace(agent.jvmti, NULL, 0, DEPTH_MOST, all, &depth) != JVMTI_ERROR_NONE)
        depth = 0;
    for (jint i = 0; i < depth && *all_found; i++) {
        struct method method;
        uint32_t number = stack_method_number(env, all[i].method);
        if (!number || !methods_at(number, &method))
            continue;
        *all_found = count < most;
        if (!*all_found)
            break;
        /* The call that runs, by its location in what the rewriter made. */
        int32_t call = -1;
        for (uint32_t c = 0; call < 0 && c < method.call_count; c++)
            if ((jlocation)(method.calls[c] >> 32 & 0xffff) == all[i].location ||
                (jlocation)(method.calls[c] >> 48) == all[i].location)
                call = (int32_t)c;
        frames[count++] = (struct stack_frame){(int32_t)number, call, (int32_t)method.access_count};
    }
    assert(count <= most);
    *all_found &= depth < DEPTH_MOST;
    free(all);
    return count;
}
