/** Fetches one page for somebody who waits, and makes of it what was wanted; the site's own rules are read meanwhile. */
import { Refusal } from '@tidemark/bus/ask'
import type { ScannedPage, ScanPage } from '@tidemark/contracts/ask/content'
import type { ContentThread } from '../adapters/content-thread.ts'
import type { Fetched, FetchPage } from '../adapters/fetch-now.ts'
import { decodedOrRefused, refusalOf } from './fetch-refusal.ts'
import type { ReadSitePolicy, SitePolicy } from './site-policy.ts'

type Ports = {
  fetchPage: FetchPage
  thread: ContentThread
  sitePolicy: ReadSitePolicy
  /** For the page, the way there included. */
  timeoutMs: number
  /** Of the body as it comes over the wire, and decoded. */
  maxBytes: number
  maxDecodedBytes: number
}

const maxHops = 10
/** The page does not wait for the site's rules for longer. */
const policyMs = 5_000

/** All of it but the content, and the content as JSON. */
export type Scanned = { page: Omit<ScannedPage, 'content'>; content: Uint8Array }

/** The handler throws a `Refusal` for a page that cannot be had: 502, or 400 for an address inward. */
export function scanPage(ports: Ports) {
  return async (question: ScanPage): Promise<Scanned> => {
    ports.thread.expect()
    const early = policyFor(ports, question, question.url)
    early.catch(() => {}) // where the page cannot be had nobody waits for it
    const page = await fetchOrRefuse(ports, question)
    const fetchedAt = new Date().toISOString()
    const [content, policy] = await Promise.all([
      contentFor(ports, question, page),
      originOf(page.url) === originOf(question.url) ? early : policyFor(ports, question, page.url),
    ])
    const { url, status } = page
    return {
      page: {
        url,
        status,
        fetchedAt,
        aiBotPolicy: policy === null || isLate(policy) ? null : policy.aiBotPolicy,
        llmsTxt: policy?.llmsTxt ?? null,
        llmsFullTxt: policy?.llmsFullTxt ?? null,
      },
      content,
    }
  }
}

async function fetchOrRefuse(ports: Ports, question: ScanPage): Promise<Fetched> {
  const { workId, url, delayMs, concurrency, userAgent } = question
  const { timeoutMs, maxBytes } = ports
  const own = userAgent === undefined ? {} : { userAgent }
  const pace = { workId, delayMs, concurrency }
  const page = await ports.fetchPage({ ...pace, url, maxHops, maxBytes, cuts: false, timeoutMs, ...own })
  if (page.is === 'failed') throw refusalOf(page)
  return page
}

function contentFor({ thread, maxDecodedBytes }: Ports, question: ScanPage, page: Fetched) {
  const { wanted, projectId, workId } = question

  const { url, status, contentType, encodings, headers } = page
  const body = decodedOrRefused(page.body, encodings, maxDecodedBytes)
  const who = projectId === undefined ? `work ${workId}` : `project ${projectId}`
  return thread.make({ url, status, contentType, headers, body, wanted }, who)
}

/** Null where it was not asked for, or could not be asked for: a page is worth having without it. */
async function policyFor({ sitePolicy }: Ports, { site }: ScanPage, url: string): Promise<SitePolicy | null> {
  if (site === 'none') return null
  const wanted = { timeoutMs: policyMs, withFull: site === 'policy_and_full' }
  return sitePolicy(originOf(url), wanted).catch(error => {
    if (error instanceof Refusal) return null
    throw error
  })
}

/** Of a robots.txt that took too long nothing is known. */
const isLate = ({ robotsError }: SitePolicy): boolean => robotsError?.reason === 'timeout'

const originOf = (url: string): string => new URL(url).origin
