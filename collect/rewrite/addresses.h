/*
 * addresses.h - how this JVM keeps references to objects, so that their addresses can be found. It is what the JVM
 * shows to debuggers (gHotSpotVMStructs), read once it is live.
 */
#ifndef ASSAY_REWRITE_ADDRESSES_H
#define ASSAY_REWRITE_ADDRESSES_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* As AssayAddress.java asks for them. */
enum addresses_fact {
    ADDRESSES_BASE,    /* of compressed references: what is added … */
    ADDRESSES_SHIFT,   /* … to the reference, shifted by this */
    ADDRESSES_MASK,    /* the bits of an address, in a collector's references that have others, too (ZGC); 0: all … */
    ADDRESSES_VIEW,    /* … and what is added to them */
    ADDRESSES_COLORED, /* 1: the address is above 16 bits that are the collector's (generational ZGC) */
    ADDRESSES_FACTS
};

/* False: the JVM does not show it. */
bool addresses_find(JNIEnv *env);

uint64_t addresses_fact(enum addresses_fact fact);

#endif
