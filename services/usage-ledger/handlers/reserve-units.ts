/**
 * Grants a request the units that it is about to spend. Billed, held and granted units together never exceed a cap,
 * however many requests arrive at once. A rejected request holds nothing and may succeed later. A request that was
 * granted all its units may reserve more.
 */

import { hasNoLimit } from '@tidemark/contracts/limits'
import type { ReleaseUnits, ReserveUnits, ReserveUnitsResponse } from '@tidemark/contracts/rpc/usage'
import type { PoolClient } from 'pg'
import type { LockedProjects } from '../adapters/locked-projects.ts'
import { drop, keep, readStanding } from '../adapters/reservations.ts'
import { type Grant, grantOf, heldByOthers, secondsUntil } from '../domain/granting.ts'

/**
 * Returns the granted units. An ended request holds its units until they are recorded, a moment after its response.
 * Before a request is rejected because others hold the last units, it therefore waits until all ended requests are
 * recorded.
 * @param now time in ms since 1970, read after the project is locked
 * @param untilCurrent waits until all requests until now are recorded, for a second at most
 */
export const reserveUnits =
  (projects: Pick<LockedProjects, 'run'>, now: () => number, untilCurrent: () => Promise<void>) =>
  async (request: ReserveUnits): Promise<ReserveUnitsResponse> => {
    const attempt = () => projects.run(request.projectId, client => reserve(client, request, now))
    const attemptTwice = async () => {
      const first = await attempt()
      if (first.granted > 0 || first.held === 0) return first
      await untilCurrent()
      return attempt()
    }
    const { granted, reason, held } = hasNoLimit(request.limits)
      ? { granted: request.units, reason: null, held: 0 }
      : await attemptTwice()
    return { granted, reason, retryAfterSeconds: secondsUntil(reason, now()), ...(held > 0 && { held }) }
  }

/** Releases the units that a request holds. Waits for a grant of the same project that is in progress. */
export const releaseUnits =
  (projects: Pick<LockedProjects, 'runLate'>) =>
  (request: ReleaseUnits): Promise<void> =>
    projects.runLate(request.projectId, client => drop(client, [request]))

async function reserve(
  client: PoolClient,
  request: ReserveUnits,
  now: () => number,
): Promise<Grant & { held: number }> {
  const at = now()
  const { standing, before } = await readStanding(client, request, at)
  const own = before?.granted ?? 0
  if (before !== null && (before.reason !== null || own >= request.units)) {
    // A repeated request begins its work now, so its reservation expires 15 minutes from now.
    if (own > 0) await keep(client, request, before, at)
    return { ...before, held: 0 }
  }
  const missing = { ...request, units: request.units - own }
  const more = grantOf(missing, standing)
  const grant = { granted: own + more.granted, reason: more.reason }
  if (grant.granted > 0) await keep(client, request, grant, at)
  return { ...grant, held: heldByOthers(missing, standing, own) }
}
