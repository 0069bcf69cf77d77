/**
 * Grants a run the pages or cloud pages that it is about to fetch. Billed, held and granted units together never exceed
 * a cap, however many runs send requests at once. The grant of a run only grows, and its unused part is free when the
 * run ends. A run of a project with too many free results is granted nothing more. A reopened run is granted nothing
 * before the ledger reads its reopening. Until then the stored hold is still the one from before the end, and the
 * ledger releases it when it reads the end.
 */

import { hasNoLimit } from '@tidemark/contracts/limits'
import type { HoldUnits, HoldUnitsResponse } from '@tidemark/contracts/rpc/usage'
import type { PoolClient } from 'pg'
import { grantRun, type Hold, readHold } from '../adapters/holds.ts'
import type { LockedProjects } from '../adapters/locked-projects.ts'
import { readStanding } from '../adapters/reservations.ts'
import { grantOf, isFreeSpent } from '../domain/granting.ts'

/**
 * Returns the granted units, counted from the start of the run.
 * @param now time in ms since 1970, read after the project is locked
 */
export const holdUnits =
  (projects: Pick<LockedProjects, 'run'>, now: () => number) =>
  async (request: HoldUnits): Promise<HoldUnitsResponse> =>
    hasNoLimit(request.limits)
      ? { granted: request.upTo, reason: null }
      : projects.run(request.projectId, client => hold(client, request, now))

async function hold(client: PoolClient, request: HoldUnits, now: () => number): Promise<HoldUnitsResponse> {
  const { projectId, runId, kind = 'page', upTo, limits, reopenings = 0 } = request
  const known = await readHold(client, runId, kind)
  if (!hasReadReopening(known, reopenings)) return { granted: 0, reason: null }
  const { granted, hasEnded } = known
  if (hasEnded) return { granted, reason: null }
  const { standing } = await readStanding(client, { projectId, requestId: '', kind }, now())
  if (isFreeSpent({ limits }, standing)) return { granted, reason: 'free_results' }
  if (granted >= upTo) return { granted, reason: null }
  const grant = grantOf({ kind, limits, units: upTo - granted }, standing)
  if (grant.granted > 0) await grantRun(client, { projectId, runId }, kind, granted + grant.granted)
  // Held units may be released, so a cap is the reason only if billed units alone have used it up.
  const { reason } = grantOf({ kind, limits, units: 1 }, { ...standing, held: 0 })
  return { granted: granted + grant.granted, reason }
}

/**
 * Returns whether the ledger has read the `nth` reopening, or may have read it if the number is unknown. 0: the run was
 * not reopened.
 */
const hasReadReopening = ({ isRead, reopenings }: Hold, nth: number): boolean =>
  nth === 0 || (isRead && (reopenings === null || reopenings >= nth))
