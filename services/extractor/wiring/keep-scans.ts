/** Part of the wiring: deletions of stored scans, and their sweep at the end of their retention. */

import { repeat } from '@tidemark/bus/repeat'
import { serve } from '@tidemark/bus/rpc'
import { retentionOf } from '@tidemark/config/retention'
import { sweepScans } from '@tidemark/content/scans/scans'
import * as contentRpc from '@tidemark/contracts/rpc/content'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import type { ExtractorParts } from './parts.ts'

type Parts = Pick<ExtractorParts, 'settings' | 'bus' | 'db' | 'scans' | 'signal' | 'report'>

/** Resolves when the signal has aborted and nothing is in progress. */
export async function keepScans({ settings, bus, db, scans, signal, report }: Parts): Promise<void> {
  const serving = { signal, report }
  const round = () => sweepScans(db.pool, retentionOf(settings), signal)
  const pauseMs = settings.BATCH_SWEEP_SECONDS * 1000
  await Promise.all([
    serve(
      bus,
      contentRpc.deleteScans,
      async ({ projectId, url }) => {
        const normal = normalForm(url)
        if (normal === null) return { deleted: 0 }
        return { deleted: await scans.remove({ projectId, urlKey: urlKey(normal) }, new Date()) }
      },
      serving,
    ),
    serve(
      bus,
      forgetRpc.forgetScans,
      async ({ projectId }) => ({ forgotten: await scans.removeSome(projectId, new Date()) }),
      serving,
    ),
    repeat(round, { name: 'the sweep of stored scans', bus, isSpare: true, pauseMs, signal, report }),
  ])
}
