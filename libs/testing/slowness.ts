/**
 * The speed of the machine, for time limits of tests. `npm test` measures it and sets TEST_SLOWNESS; a single file runs
 * with the usual limits.
 */

/** The factor by which this machine is slower than the machine for which the limits were chosen; at least 1. */
const slowness: number = Math.max(1, Number(process.env.TEST_SLOWNESS ?? 1))

/** Returns a time limit, in milliseconds, for this machine. Do not use it for limits that a test checks. */
export const patient = (ms: number): number => Math.round(ms * slowness)
