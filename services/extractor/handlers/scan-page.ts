/** Fetches one page for somebody who waits, and makes of it what was wanted; the site's own rules are read meanwhile. */
import { Refusal } from '@tidemark/bus/ask'
import type { ScannedPage, ScanPage } from '@tidemark/contracts/ask/content'
import type { ContentThread } from '../adapters/content-thread.ts'
import type { Fetched } from '../adapters/fetch-now.ts'
import { type EscalatePorts, escalate } from './escalate.ts'
import { decodedOrRefused, refusalOf } from './fetch-refusal.ts'
import { costOf } from './get-page.ts'
import { pictureOf } from './picture.ts'
import type { ReadSitePolicy, SitePolicy } from './site-policy.ts'

type Ports = EscalatePorts & {
  thread: ContentThread
  sitePolicy: ReadSitePolicy
  /** For the page, the way there included. */
  timeoutMs: number
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
    const isPlain = question.means === undefined && question.picture !== true
    const { url, ...page } = isPlain ? await plainly(ports, question) : await byMeans(ports, question)
    const [content, policy] = await Promise.all([
      page.content,
      originOf(url) === originOf(question.url) ? early : policyFor(ports, question, url),
    ])
    return {
      page: {
        url,
        ...page.told,
        aiBotPolicy: policy === null || isLate(policy) ? null : policy.aiBotPolicy,
        llmsTxt: policy?.llmsTxt ?? null,
        llmsFullTxt: policy?.llmsFullTxt ?? null,
      },
      content,
    }
  }
}

/** What is told of a page before its content is there, which is still being made. */
type Found = {
  url: string
  told: Pick<
    ScannedPage,
    'status' | 'fetchedAt' | 'backend' | 'pool' | 'tried' | 'costUsd' | 'moved' | 'picture'
  >
  content: Promise<Uint8Array> | Uint8Array
}

/** The straight way of nearly all scans. */
async function plainly(ports: Ports, question: ScanPage): Promise<Found> {
  const { workId, url, delayMs, concurrency, userAgent } = question
  const { maxBytes } = ports
  const timeoutMs = question.timeoutMs ?? ports.timeoutMs
  const own = userAgent === undefined ? {} : { userAgent }
  const pace = { workId, delayMs, concurrency }
  const page = await ports.fetchPage({ ...pace, url, maxHops, maxBytes, cuts: false, timeoutMs, ...own })
  if (page.is === 'failed') throw refusalOf(page)
  const told = { status: page.status, fetchedAt: new Date().toISOString() }
  return { url: page.url, told, content: contentFor(ports, question, page) }
}

async function byMeans(ports: Ports, question: ScanPage): Promise<Found> {
  const { means = { is: 'http' }, picture: withPicture = false, timeoutMs = ports.timeoutMs } = question
  const escalation = {
    ...question,
    means,
    waitFor: 'networkidle' as const,
    picture: withPicture,
    who: whoOf(question),
    endsAt: performance.now() + timeoutMs,
  }
  const escalated = await escalate(ports, escalation)
  const picture = withPicture ? await pictureOf(ports, escalation, escalated) : null
  const { step, page, made, fetchedAt } = escalated.had
  return {
    url: page.url,
    told: {
      status: page.status,
      fetchedAt,
      backend: step.backend,
      pool: step.pool ?? null,
      tried: escalated.tried,
      costUsd: costOf(escalated.tried),
      moved: page.moved ?? null,
      ...(picture !== null && {
        picture:
          picture.error === undefined ? { png: picture.png.toString('base64') } : { error: picture.error },
      }),
    },
    content: made.json,
  }
}

async function contentFor({ thread, maxDecodedBytes }: Ports, question: ScanPage, page: Fetched) {
  const { url, status, contentType, encodings, headers } = page
  const body = decodedOrRefused(page.body, encodings, maxDecodedBytes)
  const asked = { url, status, contentType, headers, body, wanted: question.wanted }
  return (await thread.make(asked, whoOf(question))).json
}

const whoOf = ({ projectId, workId }: ScanPage): string =>
  projectId === undefined ? `work ${workId}` : `project ${projectId}`

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
