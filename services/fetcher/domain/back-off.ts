/** Names the pause that a host requested (Retry-After), for one run or for all runs. */

/** An origin, and the run that pauses its requests there. `runId` is null for all runs. */
export type BackOff = { host: string; protocol: string; runId: number | null }

/** A request to an origin. `backOffRunId` is the run whose back-offs the request keeps; undefined: the run `runId`. */
export type BackOffSubject = Omit<BackOff, 'runId'> & { runId: number; backOffRunId?: number | undefined }

/** Returns the back-off of the run alone that a request must keep. */
export const ownBackOff = ({ host, protocol, runId, backOffRunId }: BackOffSubject): BackOff => ({
  host,
  protocol,
  runId: backOffRunId ?? runId,
})

/** Returns a unique name, which begins with the host. */
export const backOffName = ({ host, protocol, runId }: BackOff): string =>
  runId === null ? `${host} ${protocol}` : `${host} ${protocol} ${runId}`
