/**
 * Fetches one page for a waiting client and makes the requested content, while the site's policy is read concurrently.
 */
import { Refusal } from '@tidemark/bus/refusal'
import type { ScannedPage, ScanPage } from '@tidemark/contracts/rpc/content'
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
  /** Time for the page, including the RPC. */
  timeoutMs: number
}

const maxHops = 10
/** Maximum time that the page waits for the site's policy. */
const policyMs = 5_000

/** The result without the content, and the content as JSON. */
export type Scanned = { page: Omit<ScannedPage, 'content'>; content: Uint8Array }

/** The handler throws a `Refusal` for a failed fetch: 502, or 400 for a private address. */
export function scanPage(ports: Ports) {
  return async (question: ScanPage): Promise<Scanned> => {
    ports.thread.expect()
    const early = policyFor(ports, question, question.url)
    early.catch(() => {}) // if the page fails, the policy is not needed
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

/** The result of a page before its content is made. */
type Found = {
  url: string
  told: Pick<
    ScannedPage,
    'status' | 'fetchedAt' | 'backend' | 'pool' | 'tried' | 'costUsd' | 'moved' | 'picture'
  >
  content: Promise<Uint8Array> | Uint8Array
}

/** The fast path of nearly all scans. */
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
    owner: ownerOf(question),
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
  return (await thread.make(asked, ownerOf(question))).json
}

const ownerOf = ({ projectId, workId }: ScanPage): string =>
  projectId === undefined ? `work ${workId}` : `project ${projectId}`

/** Null if it was not requested or failed: the page is useful without it. */
async function policyFor({ sitePolicy }: Ports, { site }: ScanPage, url: string): Promise<SitePolicy | null> {
  if (site === 'none') return null
  const wanted = { timeoutMs: policyMs, withFull: site === 'policy_and_full' }
  return sitePolicy(originOf(url), wanted).catch(error => {
    if (error instanceof Refusal) return null
    throw error
  })
}

/** A robots.txt that took too long is unknown. */
const isLate = ({ robotsError }: SitePolicy): boolean => robotsError?.reason === 'timeout'

const originOf = (url: string): string => new URL(url).origin
