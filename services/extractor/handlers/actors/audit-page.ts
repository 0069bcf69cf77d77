/** Fetches one page with all that its audit looks at besides: how it was delivered, and what its site tells crawlers. */
import { Refusal } from '@tidemark/bus/ask'
import type { ReadPageAs } from '@tidemark/contracts/ask/actors'
import type { AuditedSite } from '../../domain/actors/audit/context.ts'
import { verdictOn } from '../../domain/site-policy.ts'
import type { ReadSitePolicy } from '../site-policy.ts'
import { type FetchAndSeePorts, fetchAndSee, type PageToFetch, type Seen } from './fetch-and-see.ts'

export type AuditPorts = FetchAndSeePorts & { sitePolicy: ReadSitePolicy }

/** The page does not wait for its site for longer. */
const siteMs = 5_000
const longestLlmsTxt = 2_000
/** Failures that other crawlers meet as well (RFC 9309, 2.3.1.4). Of all others nobody can say whose they are. */
const unreachable: ReadonlySet<string> = new Set(['dns', 'connect', 'tls', 'protocol'])
/** Whose rules decide whether a page is found by most people. */
const crawler = 'Googlebot'

/** Throws the `Refusal` of `fetchAndSee`. A site that cannot be had is unknown. */
export async function auditPage(ports: AuditPorts, question: Omit<ReadPageAs, 'reading'>): Promise<Seen> {
  const early = siteOf(ports, question.url)
  early.catch(() => {}) // where the page cannot be had nobody waits for it
  const readingOf: PageToFetch['readingOf'] = async ({ url, hops, elapsedMs }, fetchedAt) => {
    const site = await (url === question.url ? early : siteOf(ports, url))
    return { as: 'audit', context: { hops, elapsedMs, fetchedAt, knowsDelivery: true, site } }
  }
  return fetchAndSee(ports, { ...question, readingOf, tellsDelivery: true })
}

/** Null where nobody can say: a page is worth an audit without it. */
async function siteOf({ sitePolicy }: AuditPorts, url: string): Promise<AuditedSite | null> {
  const { origin, pathname, search } = new URL(url)
  try {
    const policy = await sitePolicy(origin, { timeoutMs: siteMs, withFull: false })
    const { robotsStatus, robotsError, aiBotPolicy, llmsStatus, llmsTxt } = policy
    if (robotsError !== null && !unreachable.has(robotsError.reason)) return null
    const { allowed, rule } = verdictOn(policy, crawler, pathname + search)
    return {
      robotsStatus,
      googlebot: { allowed, rule },
      llms: { status: llmsStatus, text: llmsTxt?.slice(0, longestLlmsTxt) ?? null },
      aiBots: aiBotPolicy,
    }
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
