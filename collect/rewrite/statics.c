/*
 * statics.c - references to fields in rewritten code (static ones; in mode memory all): numbers, and which field they
 * mean. Several references may mean the same field: by the names of subclasses, or from classes of other loaders.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "collect/rewrite/agent.h"
#include "collect/rewrite/methods.h"

struct reference {
    jweak loader; /* NULL: the boot loader */
    const char *owner, *name, *descriptor;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    struct reference *all; /* [number] */
    uint32_t count;
    size_t capacity;
} references;

/* A field that references have meant. When its class is unloaded, the JVM may give the id to another field. */
struct field {
    jfieldID id;
    jweak class;     /* that declares it */
    uint32_t method; /* a number that stands for the field, with its names; 0: unknown */
};

static struct {
    struct field *all; /* [number] */
    uint32_t count;
    size_t capacity;
    struct hash ids;
} fields;

static uint32_t statics_add_reference(const struct reference *reference)
{
    pthread_mutex_lock(&lock);
    struct reference *grown = grow_unset(references.all, &references.capacity, references.count + 1, sizeof *grown);
    uint32_t number = grown ? ++references.count : 0;
    if (grown) {
        references.all = grown;
        references.all[number] = *reference;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

bool statics_add_prepared(const char *owner, const char *name, const char *descriptor)
{
    return statics_add_reference(&(struct reference){NULL, owner, name, descriptor}) != 0;
}

uint32_t statics_define_reference(JNIEnv *env, jobject loader, const char *owner, const char *name,
                                  const char *descriptor)
{
    struct reference copy = {loader ? (*env)->NewWeakGlobalRef(env, loader) : NULL, strdup(owner), strdup(name),
                             strdup(descriptor)};
    uint32_t number = copy.owner && copy.name && copy.descriptor ? statics_add_reference(&copy) : 0;
    if (number == 0) {
        (*env)->DeleteWeakGlobalRef(env, copy.loader);
        free((char *)(uintptr_t)copy.owner);
        free((char *)(uintptr_t)copy.name);
        free((char *)(uintptr_t)copy.descriptor);
    }
    return number;
}

/* A class that code of this loader has used already: the JVM knows it without asking the loader. */
static jclass statics_find_class(JNIEnv *env, const char *name, jobject loader)
{
    typedef jclass finder(JNIEnv *, const char *, jboolean, jobject, jclass);
    static finder *find;
    if (!find) {
        Dl_info jvm;
        void *library =
            dladdr((void *)(uintptr_t)(*env)->GetVersion, &jvm) ? dlopen(jvm.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
        find = library ? (finder *)(uintptr_t)dlsym(library, "JVM_FindClassFromCaller") : NULL;
    }
    jclass found = find ? find(env, name, JNI_FALSE, loader, NULL) : NULL;
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return found;
}

struct sought {
    JNIEnv *env;
    jfieldID id;
};

static bool statics_field_matches(const void *data, uint32_t number)
{
    const struct sought *sought = data;
    const struct field *field = &fields.all[number];
    return field->id == sought->id && !(*sought->env)->IsSameObject(sought->env, field->class, NULL);
}

uint32_t statics_field_method(uint32_t number)
{
    pthread_mutex_lock(&lock);
    uint32_t method = number > 0 && number <= fields.count ? fields.all[number].method : 0;
    pthread_mutex_unlock(&lock);
    return method;
}

uint32_t statics_number_field(JNIEnv *env, jclass owner, jfieldID id)
{
    jvmtiEnv *jvmti = agent.jvmti;
    jclass class = NULL;
    if ((*jvmti)->GetFieldDeclaringClass(jvmti, owner, id, &class) != JVMTI_ERROR_NONE)
        return 0;
    struct sought sought = {env, id};
    uint64_t key = hash_mix((uint64_t)(uintptr_t)id, 0);
    pthread_mutex_lock(&lock);
    uint32_t number = hash_find(&fields.ids, key, statics_field_matches, &sought);
    struct field *grown = number ? NULL : grow_unset(fields.all, &fields.capacity, fields.count + 1, sizeof *grown);
    if (grown) {
        char *signature = NULL, *name = NULL;
        struct field *field = &grown[fields.count + 1];
        fields.all = grown;
        *field = (struct field){id, (*env)->NewWeakGlobalRef(env, class), 0};
        if ((*jvmti)->GetFieldName(jvmti, class, id, &name, NULL, NULL) == JVMTI_ERROR_NONE &&
            (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE)
            field->method = methods_name(methods_class_name(signature), name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        if (hash_add(&fields.ids, key, fields.count + 1) == 0)
            number = ++fields.count;
        else
            (*env)->DeleteWeakGlobalRef(env, field->class);
    }
    pthread_mutex_unlock(&lock);
    return number;
}

static struct reference statics_get_reference(uint32_t number)
{
    pthread_mutex_lock(&lock);
    struct reference meant = number > 0 && number <= references.count ? references.all[number] : (struct reference){0};
    pthread_mutex_unlock(&lock);
    return meant;
}

uint32_t statics_field_number(JNIEnv *env, uint32_t reference)
{
    struct reference meant = statics_get_reference(reference);
    if (!meant.owner || (*env)->PushLocalFrame(env, 4) != 0)
        return 0;
    jobject loader = meant.loader ? (*env)->NewLocalRef(env, meant.loader) : NULL;
    jclass owner = loader || !meant.loader ? statics_find_class(env, meant.owner, loader) : NULL;
    jfieldID id = owner ? (*env)->GetStaticFieldID(env, owner, meant.name, meant.descriptor) : NULL;
    (*env)->ExceptionClear(env);
    uint32_t number = id ? statics_number_field(env, owner, id) : 0;
    (*env)->PopLocalFrame(env, NULL);
    return number;
}

/* ------------------------------------------------------------------------------------------ any field -- */

/* A field that the class itself declares; NULL: none. */
static jfieldID statics_find_own_field(jclass class, const struct reference *meant)
{
    jfieldID *all = NULL, found = NULL;
    jint count = 0;
    if ((*agent.jvmti)->GetClassFields(agent.jvmti, class, &count, &all) != JVMTI_ERROR_NONE)
        return NULL;
    for (jint i = 0; i < count && !found; i++) {
        char *name = NULL, *descriptor = NULL;
        if ((*agent.jvmti)->GetFieldName(agent.jvmti, class, all[i], &name, &descriptor, NULL) == JVMTI_ERROR_NONE &&
            strcmp(name, meant->name) == 0 && strcmp(descriptor, meant->descriptor) == 0)
            found = all[i];
        (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)name);
        (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)descriptor);
    }
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)all);
    return found;
}

jclass statics_declaring_class(JNIEnv *env, uint32_t reference, jfieldID *id, bool *is_static)
{
    enum { FIELD_STATIC = 0x8 };
    jvmtiEnv *jvmti = agent.jvmti;
    struct reference meant = statics_get_reference(reference);
    if (!meant.owner || (*env)->PushLocalFrame(env, 64) != 0)
        return NULL;
    jobject loader = meant.loader ? (*env)->NewLocalRef(env, meant.loader) : NULL;
    jclass owner = loader || !meant.loader ? statics_find_class(env, meant.owner, loader) : NULL, found = owner;
    /* JNI would find the field, too, but initialize the class. It does find those of interfaces, all of which are
     * static. */
    while (found && !(*id = statics_find_own_field(found, &meant)))
        found = (*env)->GetSuperclass(env, found);
    if (owner && !found && (*id = (*env)->GetStaticFieldID(env, owner, meant.name, meant.descriptor)) &&
        (*jvmti)->GetFieldDeclaringClass(jvmti, owner, *id, &found) != JVMTI_ERROR_NONE)
        found = NULL;
    if (owner)
        (*env)->ExceptionClear(env);
    jint modifiers = 0;
    if (found && (*jvmti)->GetFieldModifiers(jvmti, found, *id, &modifiers) != JVMTI_ERROR_NONE)
        found = NULL;
    *is_static = modifiers & FIELD_STATIC;
    return (*env)->PopLocalFrame(env, found);
}
