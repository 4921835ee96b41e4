/*
 * victim.h - for the programs here, whose wasted memory accesses are derived on paper.
 *
 * A victim does the accesses that count in functions named victim_…; where a compiler could change them they are
 * assembly, one instruction a line, and LINE() makes each line a source line of its own. The comment at the top of a
 * victim holds what the exact tool must find, with n, the argument, as the number of rounds; a comment of the form
 * at-sign and name after a source line names it there:
 *
 *   pair KIND FIRST SECOND EVENTS BYTES WASTED [in SCOPE] [of OBJECT]
 *       FIRST, SECOND: an access; `access<call<call`, innermost first, where the way to it matters, `access*` if it
 *       doesn't; other: outside all victim_ functions; any. The frame of main may be left out.
 *       KIND ends in ~ where the values are floating-point ones. EVENTS and BYTES may be `-`: any.
 *       WASTED: all, none, or EVENTS/BYTES. SCOPE: the first line of a jump that goes round the loop or leaves it, or
 *       none, for what is wasted. OBJECT: a symbol, or the line that allocated.
 *   maybe KIND FIRST SECOND       such pairs may be there or not; KIND * is any
 *   round loads EVENTS BYTES stores EVENTS BYTES dead-store BYTES silent-store BYTES silent-load BYTES
 *       what each further round adds to the totals of the whole process, wasted bytes last; `-`: not known
 *   mode NAME                     recorded in this mode instead of `waste`
 *   options OPTION...             recorded with these
 *   modes                         recorded in each single mode as well
 *   needs FLAG                    of /proc/cpuinfo
 *
 * Every pair that involves one of the victim_ functions must be listed: what is not listed must not be found.
 */
#ifndef ASSAY_VICTIM_H
#define ASSAY_VICTIM_H

#include <stdint.h>
#include <stdlib.h>

#define VICTIM __attribute__((noipa, used))

/* One instruction of an asm statement, with the line it stands on. File 1 is the source file in what gcc writes. */
#define VICTIM_TEXT(x) #x
#define VICTIM_LINE(number) ".loc 1 " VICTIM_TEXT(number) "\n\t"
#define LINE(instruction) VICTIM_LINE(__LINE__) instruction "\n\t"

enum { VICTIM_ROUNDS_MAX = 4096 };

/* The first argument: how many rounds, 2 to VICTIM_ROUNDS_MAX. Arguments of equal length are parsed alike. */
#define VICTIM_ROUNDS(argc, argv) ((argc) > 1 ? strtoul((argv)[1], NULL, 10) : 1000)

#endif
