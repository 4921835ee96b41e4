/* rewrite.c - the rewriter of classes, which is written in Java, and what it asks the agent. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/rewrite/agent.h"
#include "collect/rewrite/methods.h"

static struct {
    jclass class, threads;
    jobject loader;
    jmethodID rewrite, leave, mute, unmute;
} rewriter;

static struct {
    pthread_mutex_t lock;
    uint64_t count;
    char first[256];
} skips = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local unsigned depth; /* of classes that this thread is rewriting */

/* ------------------------------------------------------------------------------------------ its natives -- */

static jint JNICALL rewrite_native_reserve_number(JNIEnv *env, jclass class)
{
    (void)env, (void)class;
    return (jint)methods_reserve();
}

static void JNICALL rewrite_native_define(JNIEnv *env, jclass class, jint number, jbyteArray description)
{
    (void)class;
    jsize size = (*env)->GetArrayLength(env, description);
    void *copy = malloc((size_t)size);
    if (copy)
        (*env)->GetByteArrayRegion(env, description, 0, size, copy);
    if (copy && !methods_define((uint32_t)number, copy, (size_t)size))
        free(copy);
}

static jint JNICALL rewrite_native_reference(JNIEnv *env, jclass class, jobject loader, jstring owner, jstring name,
                                             jstring descriptor)
{
    (void)class;
    jstring texts[] = {owner, name, descriptor};
    const char *chars[3] = {0};
    for (size_t i = 0; i < 3; i++)
        chars[i] = (*env)->GetStringUTFChars(env, texts[i], NULL);
    uint32_t number =
        chars[0] && chars[1] && chars[2] ? statics_define_reference(env, loader, chars[0], chars[1], chars[2]) : 0;
    for (size_t i = 0; i < 3; i++)
        if (chars[i])
            (*env)->ReleaseStringUTFChars(env, texts[i], chars[i]);
    return (jint)number;
}

static void JNICALL rewrite_native_skipped(JNIEnv *env, jclass class, jstring what)
{
    (void)class;
    const char *chars = what ? (*env)->GetStringUTFChars(env, what, NULL) : NULL;
    pthread_mutex_lock(&skips.lock);
    if (skips.count++ == 0)
        snprintf(skips.first, sizeof skips.first, "%s", chars ? chars : "");
    pthread_mutex_unlock(&skips.lock);
    if (chars)
        (*env)->ReleaseStringUTFChars(env, what, chars);
}

/* ------------------------------------------------------------------------------------------ loading -- */

/* The result of a call of Java code; NULL if it threw, and then the exception is pending. */
static jobject rewrite_check_result(JNIEnv *env, jobject result)
{
    return (*env)->ExceptionCheck(env) ? NULL : result;
}

static jobject rewrite_new_object(JNIEnv *env, const char *class_name, const char *signature, jobject first,
                                  jobject second)
{
    jclass class = (*env)->FindClass(env, class_name);
    jmethodID constructor = class ? (*env)->GetMethodID(env, class, "<init>", signature) : NULL;
    return constructor ? rewrite_check_result(env, (*env)->NewObject(env, class, constructor, first, second)) : NULL;
}

static jobject rewrite_call_method(JNIEnv *env, jobject object, const char *name, const char *signature,
                                   jobject argument)
{
    jclass class = object ? (*env)->GetObjectClass(env, object) : NULL;
    jmethodID method = class ? (*env)->GetMethodID(env, class, name, signature) : NULL;
    return method ? rewrite_check_result(env, (*env)->CallObjectMethod(env, object, method, argument)) : NULL;
}

/* A loader that sees the JDK and the jar alone. */
static jobject rewrite_new_loader(JNIEnv *env)
{
    char path[4096];
    if (!accesses_find_file("assay-accesses.jar", path, sizeof path))
        return NULL;
    jobject jar =
        rewrite_new_object(env, "java/io/File", "(Ljava/lang/String;)V", (*env)->NewStringUTF(env, path), NULL);
    jobject url = rewrite_call_method(env, rewrite_call_method(env, jar, "toURI", "()Ljava/net/URI;", NULL), "toURL",
                                      "()Ljava/net/URL;", NULL);
    jclass url_class = url ? (*env)->FindClass(env, "java/net/URL") : NULL;
    jobjectArray urls = url_class ? (*env)->NewObjectArray(env, 1, url_class, url) : NULL;
    jclass base = urls ? (*env)->FindClass(env, "java/lang/ClassLoader") : NULL;
    jmethodID platform =
        base ? (*env)->GetStaticMethodID(env, base, "getPlatformClassLoader", "()Ljava/lang/ClassLoader;") : NULL;
    jobject parent = platform ? rewrite_check_result(env, (*env)->CallStaticObjectMethod(env, base, platform)) : NULL;
    return parent ? rewrite_new_object(env, "java/net/URLClassLoader", "([Ljava/net/URL;Ljava/lang/ClassLoader;)V",
                                       urls, parent)
                  : NULL;
}

/* Loads the rewriter, and what it needs. False: an exception is pending. */
static bool rewrite_start_rewriter(JNIEnv *env, const char *intrinsics, const char *variant)
{
    JNINativeMethod own[] = {
        {(char[]){"reserveNumber"}, (char[]){"()I"}, (void *)rewrite_native_reserve_number},
        {(char[]){"define"}, (char[]){"(I[B)V"}, (void *)rewrite_native_define},
        {(char[]){"reference"},
         (char[]){"(Ljava/lang/ClassLoader;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)I"},
         (void *)rewrite_native_reference},
        {(char[]){"skipped"}, (char[]){"(Ljava/lang/String;)V"}, (void *)rewrite_native_skipped}};
    jobject loader = rewrite_new_loader(env);
    rewriter.loader = loader ? (*env)->NewGlobalRef(env, loader) : NULL;
    jclass class = rewrite_call_method(env, loader, "loadClass", "(Ljava/lang/String;)Ljava/lang/Class;",
                                       loader ? (*env)->NewStringUTF(env, "assay.accesses.Rewriter") : NULL);
    if (!class || (*env)->RegisterNatives(env, class, own, sizeof own / sizeof *own) != 0)
        return false;
    jclass threads = (*env)->FindClass(env, "java/lang/AssayThread");
    if (!threads)
        return false;
    rewriter.rewrite =
        (*env)->GetStaticMethodID(env, class, "rewrite", "(Ljava/lang/ClassLoader;Ljava/lang/String;[B)[B");
    rewriter.mute = (*env)->GetStaticMethodID(env, threads, "mute", "()V");
    rewriter.unmute = (*env)->GetStaticMethodID(env, threads, "unmute", "()V");
    rewriter.threads = (*env)->NewGlobalRef(env, threads);
    rewriter.leave = (*env)->GetStaticMethodID(env, class, "leave", "(Ljava/lang/String;)V");
    jmethodID begin = (*env)->GetStaticMethodID(env, class, "start", "(Ljava/lang/String;Ljava/lang/String;)V");
    if (!begin || !rewriter.leave || !rewriter.rewrite || !rewriter.mute || !rewriter.unmute)
        return false;
    (*env)->CallStaticVoidMethod(env, class, begin, (*env)->NewStringUTF(env, intrinsics),
                                 (*env)->NewStringUTF(env, variant));
    if ((*env)->ExceptionCheck(env))
        return false;
    rewriter.class = (*env)->NewGlobalRef(env, class);
    return rewriter.class != NULL;
}

bool rewrite_begin(JNIEnv *env, const char *intrinsics, const char *variant)
{
    if ((*env)->PushLocalFrame(env, 64) != 0)
        return false;
    depth++; /* its own classes stay as they are */
    bool good = rewrite_start_rewriter(env, intrinsics, variant);
    depth--;
    if (!good) {
        jthrowable thrown = (*env)->ExceptionOccurred(env);
        (*env)->ExceptionClear(env);
        jstring text = thrown ? rewrite_call_method(env, thrown, "toString", "()Ljava/lang/String;", NULL) : NULL;
        const char *why = text ? (*env)->GetStringUTFChars(env, text, NULL) : NULL;
        accesses_print("the rewriter of classes does not start: %s; this JVM is not recorded",
                       why ? why : "lib/assay/assay-accesses.jar can't be used");
        (*env)->ExceptionClear(env);
    }
    (*env)->PopLocalFrame(env, NULL);
    return good;
}

bool rewrite_is_own(JNIEnv *env, jobject loader)
{
    return loader && rewriter.loader && (*env)->IsSameObject(env, loader, rewriter.loader);
}

void rewrite_report_loaded(JNIEnv *env, const char *names)
{
    jstring text = (*env)->NewStringUTF(env, names);
    (*env)->CallStaticVoidMethod(env, rewriter.class, rewriter.leave, text);
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, text);
}

/* ------------------------------------------------------------------------------------------ classes -- */

void rewrite_mute(JNIEnv *env)
{
    (*env)->CallStaticVoidMethod(env, rewriter.threads, rewriter.mute);
    (*env)->ExceptionClear(env);
}

void rewrite_unmute(JNIEnv *env)
{
    (*env)->CallStaticVoidMethod(env, rewriter.threads, rewriter.unmute);
    (*env)->ExceptionClear(env);
}

unsigned char *rewrite_class(JNIEnv *env, jobject loader, const char *name, const unsigned char *bytes, jint length,
                             jint *new_length)
{
    unsigned char *fresh = NULL;
    if (!rewriter.class || rewrite_is_own(env, loader) || (*env)->PushLocalFrame(env, 16) != 0)
        return NULL;
    if (depth++ == 0)
        rewrite_mute(env);
    jstring text = (*env)->NewStringUTF(env, name);
    jbyteArray old = text ? (*env)->NewByteArray(env, length) : NULL, made = NULL;
    if (old) {
        (*env)->SetByteArrayRegion(env, old, 0, length, (const jbyte *)bytes);
        made = rewrite_check_result(
            env, (*env)->CallStaticObjectMethod(env, rewriter.class, rewriter.rewrite, loader, text, old));
    }
    (*env)->ExceptionClear(env);
    jint size = made ? (*env)->GetArrayLength(env, made) : 0;
    if (size > 0 && (*agent.jvmti)->Allocate(agent.jvmti, size, &fresh) == JVMTI_ERROR_NONE) {
        (*env)->GetByteArrayRegion(env, made, 0, size, (jbyte *)fresh);
        *new_length = size;
    }
    if (--depth == 0)
        rewrite_unmute(env);
    (*env)->PopLocalFrame(env, NULL);
    return fresh;
}

void rewrite_end(void)
{
    pthread_mutex_lock(&skips.lock);
    if (skips.count > 0)
        accesses_print("without probes: %llu methods or classes that can't be rewritten (%s%s)",
                       (unsigned long long)skips.count, skips.first, skips.count > 1 ? ", ..." : "");
    pthread_mutex_unlock(&skips.lock);
}
