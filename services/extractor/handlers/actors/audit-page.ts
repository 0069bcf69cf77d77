/** Fetches one page with all that its audit looks at besides: how it was delivered, and what its site tells crawlers. */
import { Refusal } from '@tidemark/bus/ask'
import { decodeJson } from '@tidemark/bus/codec'
import type { PageRead, ReadPageAs } from '@tidemark/contracts/ask/actors'
import type { AuditedSite } from '../../domain/actors/audit/context.ts'
import { verdictOn } from '../../domain/site-policy.ts'
import { decodedOrRefused, refusalOf } from '../fetch-refusal.ts'
import type { ReadSiteFile } from '../site-files.ts'
import type { ReadSitePolicy } from '../site-policy.ts'
import type { FetchAndSeePorts } from './fetch-and-see.ts'
import type { SeenAs } from './read-seen.ts'

export type AuditPorts = FetchAndSeePorts & { sitePolicy: ReadSitePolicy; readSiteFile: ReadSiteFile }

const maxHops = 10
/** The page does not wait for its site for longer. */
const siteMs = 5_000
const longestLlmsTxt = 2_000
/** Whose rules decide whether a page is found by most people. */
const crawler = 'Googlebot'

/** Throws a `Refusal` for a page that cannot be had: 502, or 400 for an address inward. A site that cannot is unknown. */
export async function auditPage(
  ports: AuditPorts,
  { workId, projectId, url, timeoutMs }: Omit<ReadPageAs, 'reading'>,
): Promise<PageRead> {
  const { fetchPage, thread, maxBytes, maxDecodedBytes } = ports
  thread.expect()
  const early = siteOf(ports, url)
  early.catch(() => {}) // where the page cannot be had nobody waits for it
  const pace = { workId, delayMs: 0, concurrency: 1 }
  const bounds = { maxHops, maxBytes, cuts: false, timeoutMs }
  const page = await fetchPage({ ...pace, url, ...bounds, tellsDelivery: true })
  if (page.is === 'failed') throw refusalOf(page)
  const fetchedAt = new Date().toISOString()
  const { status, contentType, headers, hops, elapsedMs } = page
  const body = decodedOrRefused(page.body, page.encodings, maxDecodedBytes)
  const site = await (page.url === url ? early : siteOf(ports, page.url))
  const reading = {
    as: 'audit',
    context: { hops, elapsedMs, fetchedAt, knowsDelivery: true, site },
  } as const
  const seen = { url: page.url, status, contentType, headers, body }
  const { json } = await thread.see({ reading, page: seen }, `project ${projectId}`)
  return { url: page.url, status, fetchedAt, ...(decodeJson(json) as SeenAs) }
}

/** Null where nobody can say: a page is worth an audit without it. */
async function siteOf({ sitePolicy, readSiteFile }: AuditPorts, url: string): Promise<AuditedSite | null> {
  const { origin, pathname, search } = new URL(url)
  try {
    const policy = await sitePolicy(origin, { timeoutMs: siteMs, withFull: false })
    const llms = await readSiteFile(origin, 'llms', { timeoutMs: siteMs })
    const { robotsStatus, robotsError, aiBotPolicy } = policy
    if (robotsError?.reason === 'timeout') return null
    const { allowed, rule } = verdictOn(policy, crawler, pathname + search)
    return {
      robotsStatus,
      googlebot: { allowed, rule },
      llms: { status: llms.status, text: llms.text?.slice(0, longestLlmsTxt) ?? null },
      aiBots: aiBotPolicy,
    }
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
