/** Who leaves whom alone, where a host has asked for it. */

/** An origin, and the run that is to leave it alone: null where all are. */
export type BackOff = { host: string; protocol: string; runId: number | null }

/** A name of its own for each, which begins with its host's. */
export const backOffName = ({ host, protocol, runId }: BackOff): string =>
  runId === null ? `${host} ${protocol}` : `${host} ${protocol} ${runId}`
