/** Names the pause that a host requested (Retry-After), for one run or for all runs. */

/** An origin, and the run that pauses its requests there. `runId` is null for all runs. */
export type BackOff = { host: string; protocol: string; runId: number | null }

/** Returns a unique name, which begins with the host's. */
export const backOffName = ({ host, protocol, runId }: BackOff): string =>
  runId === null ? `${host} ${protocol}` : `${host} ${protocol} ${runId}`
