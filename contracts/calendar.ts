/** Days as everybody counts them who bills or tells what was billed: those of UTC, whatever a machine's clock shows. */

const dayMs = 86_400_000

/** `YYYY-MM-DD`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Never 0, so that whoever waits so long is in the next day. */
export const secondsToMidnight = (at: number): number => Math.ceil((dayMs - (at % dayMs)) / 1000)
