/** Audits stored pages by way of the extractor, until a deadline. */
import { type AuditedPage, maxPagesOfBatch } from '@tidemark/contracts/rpc/site-audit'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'
import type { Actors } from '../adapters/actors.ts'
import type { ActorWork } from '../answer-actor.ts'
import { outlasting } from '../outlasting.ts'
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
    const some = left.slice(0, maxPagesOfBatch)
    const pages = some.map(({ key, url, status, fetchedAt }) => ({ key, url, status, fetchedAt }))
    const question = { workId, ...run, pages, inDetail }
    const { pages: audited } = await outlasting(signal, () => actors.auditPages(question))
    for (const [n, page] of audited.entries()) found.set((some[n] as StoredPage).id, page)
    left = left.slice(Math.max(1, audited.length))
  }
  return found
}
