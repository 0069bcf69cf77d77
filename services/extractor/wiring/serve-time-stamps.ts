/** Part of the wiring: requests for time-stamps of evidence. */
import { inShares } from '@tidemark/bus/at-most'
import { serve } from '@tidemark/bus/rpc'
import * as timeStampRpc from '@tidemark/contracts/rpc/time-stamp'
import { resolverOf } from '@tidemark/http/resolve'
import { openAuthority } from '../adapters/time-stamps/authority.ts'
import { openDailyRequests } from '../adapters/time-stamps/daily-requests.ts'
import { openTimeStamps } from '../adapters/time-stamps/stored-stamps.ts'
import { stampEvidence } from '../handlers/time-stamps/stamp-evidence.ts'
import type { ExtractorParts } from './parts.ts'

type Parts = Pick<ExtractorParts, 'settings' | 'bus' | 'db' | 'signal' | 'report'>

/** Maximum concurrent requests. A request waits for the authority, and holds only its texts in memory. */
const stampsAtOnce = 64

/** Resolves when the signal has aborted and all pending requests are answered. */
export async function serveTimeStamps({ settings, bus, db, signal, report }: Parts): Promise<void> {
  const { EVIDENCE_TSA_URL: url } = settings
  await using authority = url === '' ? null : openAuthority({ url, resolver: resolverOf(settings), report })
  const tables = { stamps: openTimeStamps(db.pool), requests: openDailyRequests(db.pool) }
  const handler = stampEvidence({ ...tables, authority })
  await serve(bus, timeStampRpc.stampEvidence, inShares(stampsAtOnce, handler), { signal, report })
}
