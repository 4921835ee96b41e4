/*
 * unprobe.c - methods that are given up lose their probes: their classes are transformed again, and the rewriter leaves
 * those methods unchanged. The JVM stops the program for this, and compiles the methods again.
 */
#include "collect/agents/jvm/agent.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "collect/methods/methods.h"

enum { QUEUE = 256, SIGNATURE_MAX = 1024 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    uint64_t methods[QUEUE];
    size_t count; /* further ones keep probes that do nothing */
    bool running, stopping;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

/* Several loaders may have a class of this name. Only those that can be transformed are. */
static void unprobe_retransform(JNIEnv *env, uint64_t method)
{
    char signature[SIGNATURE_MAX];
    jint count, chosen = 0;
    jclass *classes;
    if (!methods_class_signature(method, signature, sizeof signature) ||
        (*agent.jvmti)->GetLoadedClasses(agent.jvmti, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    /* The references exist already: this keeps -Xcheck:jni from warning of their number. */
    if ((*env)->EnsureLocalCapacity(env, count) != 0)
        (*env)->ExceptionClear(env);
    for (jint i = 0; i < count; i++) {
        jboolean can;
        char *own = NULL;
        bool same = (*agent.jvmti)->GetClassSignature(agent.jvmti, classes[i], &own, NULL) == JVMTI_ERROR_NONE &&
                    strcmp(own, signature) == 0;
        if (own)
            (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)own);
        if (same && (*agent.jvmti)->IsModifiableClass(agent.jvmti, classes[i], &can) == JVMTI_ERROR_NONE && can)
            classes[chosen++] = classes[i];
        else
            (*env)->DeleteLocalRef(env, classes[i]);
    }
    for (jint i = 0; i < chosen; i++)
        (*agent.jvmti)->RetransformClasses(agent.jvmti, 1, &classes[i]);
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)classes);
}

static void *unprobe_main(void *unused)
{
    (void)unused;
    char name[] = "assay probes";
    JavaVMAttachArgs arguments = {JNI_VERSION_1_6, name, NULL};
    void *jni;
    agent_own_thread = true;
    methods_mute();
    if ((*agent.vm)->AttachCurrentThreadAsDaemon(agent.vm, &jni, &arguments) != JNI_OK)
        return NULL;
    JNIEnv *env = jni;
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        while (!queue.stopping && queue.count == 0)
            pthread_cond_wait(&queue.wake, &queue.lock);
        if (queue.stopping)
            break;
        uint64_t method = queue.methods[--queue.count];
        pthread_mutex_unlock(&queue.lock);
        if ((*env)->PushLocalFrame(env, 64) == 0) {
            unprobe_retransform(env, method);
            (*env)->PopLocalFrame(env, NULL);
        }
        pthread_mutex_lock(&queue.lock);
    }
    pthread_mutex_unlock(&queue.lock);
    (*agent.vm)->DetachCurrentThread(agent.vm);
    return NULL;
}

void unprobe_request(uint64_t method)
{
    pthread_mutex_lock(&queue.lock);
    if (!queue.running && !queue.stopping)
        queue.running = pthread_create(&queue.thread, NULL, unprobe_main, NULL) == 0;
    if (queue.count < QUEUE)
        queue.methods[queue.count++] = method;
    pthread_cond_signal(&queue.wake);
    pthread_mutex_unlock(&queue.lock);
}

void unprobe_stop(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.stopping = true;
    pthread_cond_signal(&queue.wake);
    pthread_mutex_unlock(&queue.lock);
    if (queue.running)
        pthread_join(queue.thread, NULL);
    queue.running = false;
}
