/*
 * names.c - classes and fields by name, as far as they are loaded; nothing here loads or initializes a class.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "collect/inspect/agent/agent.h"

/* Under the agent's monitor. */
static struct {
    struct known_class {
        char *name; /* "java/lang/String" */
        jweak class;
    } * all; /* [number], from 1 */
    uint32_t count;
    size_t capacity;
    struct hash by_name; /* of the first with a name; others follow it in `same` */
    uint32_t *same;      /* [number]: the next one with the same name; 0: none */
    size_t same_capacity;
} classes;

static bool names_entry_matches(const void *name, uint32_t number)
{
    return strcmp(classes.all[number].name, name) == 0;
}

static void names_add_entry(jweak class, char *name)
{
    uint32_t number = classes.count + 1;
    struct known_class *grown = grow_unset(classes.all, &classes.capacity, number, sizeof *grown);
    classes.all = grown ? grown : classes.all;
    uint32_t *same = grown ? grow(classes.same, &classes.same_capacity, number, sizeof *same) : NULL;
    if (!same)
        return;
    classes.same = same;
    classes.all[number] = (struct known_class){name, class};
    uint64_t key = hash_text(name, 0);
    uint32_t first = hash_find(&classes.by_name, key, names_entry_matches, name);
    if (!first && hash_add(&classes.by_name, key, number) != 0)
        return;
    if (first) {
        same[number] = same[first];
        same[first] = number;
    }
    classes.count = number;
}

/* Leaves out classes of primitive types and hidden ones, which can't be named. */
void names_add_class(JNIEnv *env, jclass class)
{
    char *signature = NULL;
    if ((*agent.jvmti)->GetClassSignature(agent.jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    size_t length = strlen(signature);
    if (*signature == 'L' && !strchr(signature, '.')) {
        char *name = strndup(signature + 1, length - 2);
        jweak weak = name ? (*env)->NewWeakGlobalRef(env, class) : NULL;
        (*agent.jvmti)->RawMonitorEnter(agent.jvmti, agent.monitor);
        if (weak)
            names_add_entry(weak, name);
        (*agent.jvmti)->RawMonitorExit(agent.jvmti, agent.monitor);
    }
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)signature);
}

void names_add_loaded(JNIEnv *env)
{
    enum { CLASSES = 16384 }; /* more would do, but -Xcheck:jni warns */
    jint count = 0;
    jclass *all = NULL;
    if ((*env)->PushLocalFrame(env, CLASSES) != 0)
        return;
    if ((*agent.jvmti)->GetLoadedClasses(agent.jvmti, &count, &all) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++)
            names_add_class(env, all[i]);
        (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)all);
    }
    (*env)->PopLocalFrame(env, NULL);
}

/* The one of this loader, or the only one. */
static jclass names_choose_class(JNIEnv *env, uint32_t first, jobject loader)
{
    jclass only = NULL;
    uint32_t count = 0;
    for (uint32_t number = first; number; number = classes.same[number]) {
        jclass class = (*env)->NewLocalRef(env, classes.all[number].class);
        if (!class)
            continue;
        count++;
        jobject of_class = NULL;
        bool same = (*agent.jvmti)->GetClassLoader(agent.jvmti, class, &of_class) == JVMTI_ERROR_NONE &&
                    (*env)->IsSameObject(env, of_class, loader);
        (*env)->DeleteLocalRef(env, of_class);
        if (same) {
            (*env)->DeleteLocalRef(env, only);
            return class;
        }
        (*env)->DeleteLocalRef(env, only);
        only = class;
    }
    if (count == 1)
        return only;
    (*env)->DeleteLocalRef(env, only);
    return NULL;
}

jclass names_find_class(JNIEnv *env, const struct constants_text *name, jobject loader)
{
    char *text = name->text ? strndup(name->text, name->length) : NULL;
    jclass class = NULL;
    (*agent.jvmti)->RawMonitorEnter(agent.jvmti, agent.monitor);
    uint32_t first = text ? hash_find(&classes.by_name, hash_text(text, 0), names_entry_matches, text) : 0;
    if (first)
        class = names_choose_class(env, first, loader);
    (*agent.jvmti)->RawMonitorExit(agent.jvmti, agent.monitor);
    free(text);
    return class;
}

/* ------------------------------------------------------------------------------------------ fields -- */

/* A field that the class itself declares; NULL: none. */
static jfieldID names_find_own_field(jclass class, const struct constants_member *member, bool is_static)
{
    enum { STATIC = 0x8 };
    jvmtiEnv *jvmti = agent.jvmti;
    jfieldID *all = NULL, found = NULL;
    jint count = 0;
    if ((*jvmti)->GetClassFields(jvmti, class, &count, &all) != JVMTI_ERROR_NONE)
        return NULL;
    for (jint i = 0; i < count && !found; i++) {
        char *name = NULL, *descriptor = NULL;
        jint modifiers = 0;
        if ((*jvmti)->GetFieldName(jvmti, class, all[i], &name, &descriptor, NULL) == JVMTI_ERROR_NONE &&
            (*jvmti)->GetFieldModifiers(jvmti, class, all[i], &modifiers) == JVMTI_ERROR_NONE &&
            constants_text_is(&member->name, name) && constants_text_is(&member->descriptor, descriptor) &&
            ((modifiers & STATIC) != 0) == is_static)
            found = all[i];
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
    return found;
}

/* Fields of interfaces, which are static, are not looked for. */
bool names_find_field(JNIEnv *env, jclass class, const struct constants_member *member, bool is_static,
                      struct names_field *field)
{
    jfieldID id = NULL;
    jclass owner = (*env)->NewLocalRef(env, class);
    while (owner && !(id = names_find_own_field(owner, member, is_static))) {
        jclass above = (*env)->GetSuperclass(env, owner);
        (*env)->DeleteLocalRef(env, owner);
        owner = above;
    }
    jint status = 0;
    bool good = id && (!is_static || ((*agent.jvmti)->GetClassStatus(agent.jvmti, owner, &status) == JVMTI_ERROR_NONE &&
                                      status & JVMTI_CLASS_STATUS_INITIALIZED && !(status & JVMTI_CLASS_STATUS_ERROR)));
    if (good)
        *field = (struct names_field){.owner = (*env)->NewWeakGlobalRef(env, owner),
                                      .id = id,
                                      .offset = placement_offset(id, is_static),
                                      .is_static = is_static};
    (*env)->DeleteLocalRef(env, owner);
    return good && field->owner;
}
