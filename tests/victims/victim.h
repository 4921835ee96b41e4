/*
 * victim.h - for the programs here, whose wasted memory accesses are derived on paper.
 *
 * A victim makes the accesses that count in functions named victim_…; where a compiler could change them, they are
 * assembly, one instruction per line, and LINE() gives each its own source line. The comment at the top of a victim
 * lists what the exact tool must find, where n, the argument, is the number of rounds. A comment that consists of an at
 * sign and a name, after a source line, gives the line that name. The list has these lines:
 *
 *   pair KIND FIRST SECOND EVENTS BYTES WASTED [in SCOPE] [of OBJECT]
 *       FIRST, SECOND: an access; `access<call<call`, innermost first, where the call path matters; `access*` if it
 *       doesn't; other: outside all victim_ functions; any. The frame of main may be left out.
 *       KIND ends in ~ where the values are floating-point ones. EVENTS and BYTES may be `-`, for any number.
 *       WASTED: all, none, or EVENTS/BYTES. SCOPE, of wasted accesses: the first line of a jump that repeats or leaves
 *       the loop, or none. OBJECT: a symbol, or the line that allocated it.
 *   maybe KIND FIRST SECOND       such pairs may be there or not; KIND * is any
 *   round loads EVENTS BYTES stores EVENTS BYTES dead-store BYTES silent-store BYTES silent-load BYTES
 *       what each further round adds to the totals of the whole process, and to wasted bytes; `-` means unknown
 *   mode NAME                     recorded in this mode instead of `waste`
 *   options OPTION...             recorded with these options
 *   modes                         also recorded in each single mode
 *   needs FLAG                    only for processors with this flag in /proc/cpuinfo
 *
 * Every pair that involves one of the victim_ functions must be listed: a pair that is not listed must not be found.
 */
#ifndef ASSAY_VICTIM_H
#define ASSAY_VICTIM_H

#include <stdint.h>
#include <stdlib.h>

#define VICTIM __attribute__((noipa, used))

/* One instruction of an asm statement, with its source line. gcc's output numbers the source file 1. */
#define VICTIM_TEXT(x) #x
#define VICTIM_LINE(number) ".loc 1 " VICTIM_TEXT(number) "\n\t"
#define LINE(instruction) VICTIM_LINE(__LINE__) instruction "\n\t"

enum { VICTIM_ROUNDS_MAX = 4096 };

/* The first argument: the number of rounds, 2 to VICTIM_ROUNDS_MAX. Arguments of the same length are parsed alike. */
#define VICTIM_ROUNDS(argc, argv) ((argc) > 1 ? strtoul((argv)[1], NULL, 10) : 1000)

#endif
