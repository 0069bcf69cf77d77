/** Part of the wiring: the audits of stored pages, on a separate thread, so that no scan waits for them. */
import { limited, limitedByProject } from '@tidemark/bus/at-most'
import { serve } from '@tidemark/bus/rpc'
import * as siteAuditRpc from '@tidemark/contracts/rpc/site-audit'
import { createContentThread } from '../adapters/content-thread.ts'
import { listenForDroppedWork } from '../adapters/dropped-work.ts'
import { describedRules } from '../domain/actors/site/stored-audit.ts'
import { auditPages } from '../handlers/actors/audit-pages.ts'
import type { ExtractorParts } from './parts.ts'

type Parts = Pick<ExtractorParts, 'settings' | 'bus' | 'store' | 'signal' | 'report'>

/** The thread ends soon after an audit, because its memory is needed by crawls. */
const idleMs = 30_000
/** Maximum concurrent requests. Each holds two pages. */
const batchesAtOnce = 16
/**
 * Maximum concurrent requests of a project. It equals the number of requests to actors that a gateway permits a project
 * at once.
 */
const batchesOfProject = 8

/** Resolves when the signal has aborted and all pending requests are answered. */
export async function serveSiteAudits({ settings, bus, store, ...serving }: Parts): Promise<void> {
  await using thread = createContentThread(settings.CONTENT_TIMEOUT_MS, { idleMs })
  using dropped = listenForDroppedWork(bus)
  const { MAX_DECODED_BYTES: maxDecodedBytes } = settings
  const audit = limitedByProject(
    { max: batchesOfProject },
    limited(batchesAtOnce, auditPages({ store, thread, dropped, maxDecodedBytes })),
  )
  await Promise.all([
    serve(bus, siteAuditRpc.auditPages, audit, serving),
    serve(bus, siteAuditRpc.auditRules, async () => describedRules(), serving),
  ])
}
