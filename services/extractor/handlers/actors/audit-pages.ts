/** Audits stored pages one after the other. A page that cannot be read is reported and stops no other. */
import { decodeJson } from '@tidemark/bus/codec'
import { Refusal, refuse } from '@tidemark/bus/refusal'
import type { Content, PageContent } from '@tidemark/content/store'
import type { AuditedPage, AuditPages, PagesAudited } from '@tidemark/contracts/rpc/site-audit'
import type { ContentThread } from '../../adapters/content-thread.ts'
import type { DroppedWork } from '../../adapters/dropped-work.ts'
import { decodedOrRefused } from '../fetch-refusal.ts'

export type AuditPagesPorts = {
  store: Pick<Content, 'readPage'>
  thread: Pick<ContentThread, 'see' | 'expect'>
  dropped: Pick<DroppedWork, 'watch'>
  maxDecodedBytes: number
}

type Wanted = AuditPages['pages'][number]
type Kept = PageContent | null

/** After this time no further page of a request is audited. */
const maxMs = 10_000

/** The handler throws a `Refusal` 503 if too many requests wait, or if the client has left. */
export function auditPages(ports: AuditPagesPorts) {
  const { store, thread, dropped } = ports
  return async ({ workId, projectId, runId, pages, inDetail }: AuditPages): Promise<PagesAudited> => {
    using work = dropped.watch(workId)
    thread.expect()
    const end = performance.now() + maxMs
    const read = (page: Wanted | undefined) => page && store.readPage(runId, page.key)
    const audited: AuditedPage[] = []
    let next = read(pages[0])
    for (const [n, page] of pages.entries()) {
      const kept = (await next) ?? null
      next = read(pages[n + 1])
      next?.catch(() => {}) // the error is thrown when its turn comes
      audited.push(await auditedOf(ports, { page, kept, inDetail, projectId }))
      if (work.signal.aborted) throw refuse('unavailable')
      if (performance.now() > end) break
    }
    await next?.catch(() => {}) // the page is left to the next request
    return { pages: audited }
  }
}

type AuditRequest = { page: Wanted; kept: Kept; inDetail: boolean; projectId: number }

async function auditedOf(
  { thread, maxDecodedBytes }: AuditPagesPorts,
  { page: { url, status, fetchedAt }, kept, inDetail, projectId }: AuditRequest,
): Promise<AuditedPage> {
  if (kept?.body == null) return { unread: 'not_stored' }
  const { contentType } = kept
  try {
    const body = decodedOrRefused(kept.body, kept.encodings, maxDecodedBytes)
    const page = { url, status, contentType, headers: headersOf(kept), body }
    const { elapsed_ms: elapsedMs = null } = kept.metadata as { elapsed_ms?: number }
    const reading = { as: 'site', fetchedAt, elapsedMs, inDetail } as const
    const { json } = await thread.see({ reading, page }, `project ${projectId}`)
    const { data, challenge } = decodeJson(json) as { data: AuditedPage; challenge: string | null }
    return challenge === null ? data : { unread: 'blocked' }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'fetch_failed') throw error
    return { unread: reasonOf(error) }
  }
}

const reasonOf = ({ reason }: Refusal): string =>
  reason === 'timeout' || reason === 'too_large' ? reason : 'undecodable'

function headersOf({ metadata }: PageContent): Record<string, string> {
  const { x_robots_tag: tag } = metadata as { x_robots_tag?: string }
  return tag === undefined ? {} : { 'x-robots-tag': tag }
}
