/** Fetches a page with the additional input of its audit: delivery data, and the site's files for crawlers. */
import { Refusal } from '@tidemark/bus/refusal'
import type { ReadPageAs } from '@tidemark/contracts/rpc/actors'
import type { AuditedSite } from '../../domain/actors/audit/context.ts'
import { verdictOn } from '../../domain/site-policy.ts'
import type { ReadSitePolicy } from '../site-policy.ts'
import { type FetchAndSeePorts, fetchAndSee, type PageToFetch, type Seen } from './fetch-and-see.ts'

export type AuditPorts = FetchAndSeePorts & { sitePolicy: ReadSitePolicy }

/** Maximum time that the page waits for the site's files. */
const siteMs = 5_000
const maxLlmsTxtLength = 2_000
/** Failures that other crawlers encounter too (RFC 9309, 2.3.1.4). Other failures may be caused by this service. */
const unreachable: ReadonlySet<string> = new Set(['dns', 'connect', 'tls', 'protocol'])
/** The crawler whose rules affect most readers. */
const crawler = 'Googlebot'

/** Throws the `Refusal` of `fetchAndSee`. If the site's files fail, the site is unknown. */
export async function auditPage(ports: AuditPorts, request: Omit<ReadPageAs, 'reading'>): Promise<Seen> {
  const early = siteOf(ports, request, request.url)
  early.catch(() => {}) // if the page fails, the site's files are not needed
  const readingOf: PageToFetch['readingOf'] = async ({ url, hops, elapsedMs }, fetchedAt) => {
    const site = await (url === request.url ? early : siteOf(ports, request, url))
    return { as: 'audit', context: { hops, elapsedMs, fetchedAt, knowsDelivery: true, site } }
  }
  return fetchAndSee(ports, { ...request, readingOf, tellsDelivery: true })
}

/** Returns null if the site is unknown: the audit works without it. */
async function siteOf(
  { sitePolicy }: AuditPorts,
  { projectId }: Pick<ReadPageAs, 'projectId'>,
  url: string,
): Promise<AuditedSite | null> {
  const { origin, pathname, search } = new URL(url)
  try {
    const policy = await sitePolicy(origin, { timeoutMs: siteMs, withFull: false, projectId })
    const { robotsStatus, robotsError, aiBotPolicy, llmsStatus, llmsTxt } = policy
    if (robotsError !== null && !unreachable.has(robotsError.reason)) return null
    const { allowed, rule } = verdictOn(policy, crawler, pathname + search)
    return {
      robotsStatus,
      googlebot: { allowed, rule },
      llms: { status: llmsStatus, text: llmsTxt?.slice(0, maxLlmsTxtLength) ?? null },
      aiBots: aiBotPolicy,
    }
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
