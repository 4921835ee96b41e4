/*
 * inject_environment.h - how assay inject tells the processes of its command what it does.
 *
 * A JSON object: method, work, amount, run; report: the directory that agents leave PID.json in.
 */
#ifndef ASSAY_RECORD_INJECT_ENVIRONMENT_H
#define ASSAY_RECORD_INJECT_ENVIRONMENT_H

#define INJECT_ENVIRONMENT "ASSAY_INJECT"

#endif
