/**
 * The speed of the machine, for time limits of tests. `npm test` measures it and sets TEST_SLOWNESS; a single file runs with
 * the usual limits.
 */

/** How many times slower the machine is than the one that the limits were chosen on; at least 1. */
const slowness: number = Math.max(1, Number(process.env.TEST_SLOWNESS ?? 1))

/** Returns a time limit, in milliseconds, for this machine. Do not use it for limits that a test checks. */
export const patient = (ms: number): number => Math.round(ms * slowness)
