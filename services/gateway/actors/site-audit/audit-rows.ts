/** Audits stored pages by requests to the extractor, until a deadline. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type AuditedPage, maxPagesOfBatch } from '@tidemark/contracts/rpc/site-audit'
import { isAway, isCrowded, retryWhileUnavailable } from '../../live-pages/retry-while-unavailable.ts'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'
import type { Actors } from '../adapters/actors.ts'
import type { ActorWork } from '../answer-actor.ts'
import type { StoredPage } from './adapters/site-reads.ts'

export type AuditOrder = {
  run: OfRun
  rows: readonly StoredPage[]
  /** Whether the results are the findings with messages and samples. */
  inDetail: boolean
  /** Time after which no request starts, in milliseconds of `performance.now()`. */
  deadline: number
}

/**
 * Returns the results by page id, without the pages that were left at the deadline or when the work was dropped. Throws
 * the `Refusal` of the extractor.
 */
export async function auditRows(
  actors: Pick<Actors, 'auditPages'>,
  { run, rows, inDetail, deadline }: AuditOrder,
  { workId, signal }: Pick<ActorWork, 'workId' | 'signal'>,
): Promise<Map<number, AuditedPage>> {
  const found = new Map<number, AuditedPage>()
  for (let left = rows; left.length > 0 && !signal.aborted && performance.now() < deadline; ) {
    const batch = left.slice(0, maxPagesOfBatch)
    const pages = batch.map(({ key, url, status, fetchedAt }) => ({ key, url, status, fetchedAt }))
    const request = { workId, ...run, pages, inDetail }
    const audited = await whenAdmitted(() => actors.auditPages(request), deadline, signal)
    if (audited === null) break
    for (const [n, page] of audited.pages.entries()) found.set((batch[n] as StoredPage).id, page)
    left = left.slice(Math.max(1, audited.pages.length))
  }
  return found
}

/** Milliseconds between two requests while other audits of the project use all its slots. */
const crowdedMs = 500

const isDown = (error: unknown): boolean => isAway(error) && !isCrowded(error)

/** Retries while other audits of the project use all its slots. Returns null at the deadline. */
async function whenAdmitted<Answer>(
  requestOnce: () => Promise<Answer>,
  deadline: number,
  signal: AbortSignal,
): Promise<Answer | null> {
  while (!signal.aborted && performance.now() < deadline) {
    try {
      return await retryWhileUnavailable(signal, requestOnce, isDown)
    } catch (error) {
      if (!isCrowded(error)) throw error
      await sleep(crowdedMs, undefined, { signal }).catch(() => {})
    }
  }
  return null
}
