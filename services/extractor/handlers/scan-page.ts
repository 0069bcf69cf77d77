/**
 * Fetches one page for a waiting client and makes the requested content, while the site's policy is read concurrently.
 */
import { Refusal } from '@tidemark/bus/refusal'
import type { ScannedPage, ScanPage } from '@tidemark/contracts/rpc/content'
import { maxPageRedirects } from '@tidemark/contracts/work/redirects'
import type { ContentThread } from '../adapters/content-thread.ts'
import type { Fetched } from '../adapters/fetch-now.ts'
import type { FetchedScan, ScanRecorder, SiteFacts } from '../adapters/scan-recorder.ts'
import { nameOfMeans } from '../domain/scan-means.ts'
import { type EscalatePorts, escalate } from './escalate.ts'
import { decodedOrRefused, refusalOf } from './fetch-refusal.ts'
import { costOf } from './get-page.ts'
import { pictureOf } from './picture.ts'
import type { ReadSitePolicy, SitePolicy } from './site-policy.ts'

type Ports = EscalatePorts & {
  thread: ContentThread
  sitePolicy: ReadSitePolicy
  /** Null: no page is stored. */
  recorder: Pick<ScanRecorder, 'record'> | null
  /** Time for the page, including the RPC. */
  timeoutMs: number
}

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
    const { url, told, content } = isPlain ? await plainly(ports, question) : await byMeans(ports, question)
    const [made, policy] = await Promise.all([
      content,
      originOf(url) === originOf(question.url) ? early : policyFor(ports, question, url),
    ])
    const site: SiteFacts = {
      aiBotPolicy: policy === null || isLate(policy) ? null : policy.aiBotPolicy,
      llmsTxt: policy?.llmsTxt ?? null,
      llmsFullTxt: policy?.llmsFullTxt ?? null,
    }
    if (made.toKeep) keep(ports, question, { ...made.toKeep, ...told, url, site: policy && site })
    return { page: { url, ...told, ...site }, content: made.json }
  }
}

type ToKeep = Pick<FetchedScan, 'contentType' | 'headers' | 'encodings' | 'body' | 'decoded'>

/** Whether later scans may use the page. A page with a screenshot may come from another backend than one without. */
const isKept = ({ recorder }: Ports, { keepFor, projectId, picture }: ScanPage): boolean =>
  recorder !== null && keepFor !== undefined && projectId !== undefined && picture !== true

function keep(
  { recorder }: Ports,
  question: ScanPage,
  page: ToKeep & Pick<FetchedScan, 'url' | 'status' | 'fetchedAt' | 'site'>,
): void {
  const { projectId, keepFor: tier, url: requestedUrl } = question
  if (projectId === undefined || tier === undefined) return
  const { url, status, fetchedAt, site, contentType, headers, encodings, body, decoded } = page
  recorder?.record({
    ...{ projectId, tier, requestedUrl, means: nameOfMeans(question) },
    ...{ url, status, fetchedAt, site, contentType, headers, encodings, body, decoded },
  })
}

/** The result of a page before its content is made. */
type Found = {
  url: string
  told: Pick<
    ScannedPage,
    'status' | 'fetchedAt' | 'backend' | 'pool' | 'tried' | 'costUsd' | 'moved' | 'picture'
  >
  content: Promise<Made> | Made
}

/** `toKeep` is null for a page that is not stored, and for a challenge, a refusal or a shell in its place. */
type Made = { json: Uint8Array; toKeep: ToKeep | null }

/** The fast path of nearly all scans. */
async function plainly(ports: Ports, question: ScanPage): Promise<Found> {
  const { workId, url, delayMs, concurrency, userAgent } = question
  const { maxBytes } = ports
  const timeoutMs = question.timeoutMs ?? ports.timeoutMs
  const own = userAgent === undefined ? {} : { userAgent }
  const pace = { workId, delayMs, concurrency }
  const page = await ports.fetchPage({
    ...pace,
    url,
    maxHops: maxPageRedirects,
    maxBytes,
    cuts: false,
    timeoutMs,
    ...own,
  })
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
    keepsBody: isKept(ports, question),
    owner: ownerOf(question),
    endsAt: performance.now() + timeoutMs,
  }
  const escalated = await escalate(ports, escalation)
  const picture = withPicture ? await pictureOf(ports, escalation, escalated) : null
  const { step, outcome, page, made, fetchedAt, body } = escalated.had
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
    content: { json: made.json, toKeep: body && outcome === 'page' ? toKeepOf(page, body) : null },
  }
}

async function contentFor(ports: Ports, question: ScanPage, page: Fetched): Promise<Made> {
  const { thread, maxDecodedBytes } = ports
  const { url, status, contentType, encodings, headers } = page
  const decoded = decodedOrRefused(page.body, encodings, maxDecodedBytes)
  const asked = { url, status, contentType, headers, body: decoded, wanted: question.wanted }
  const { json, challenge } = await thread.make(asked, ownerOf(question))
  const isStored = challenge === null && isKept(ports, question)
  return { json, toKeep: isStored ? { contentType, headers, encodings, body: page.body, decoded } : null }
}

/** The body of a page from the backends is decoded already. */
const toKeepOf = ({ contentType, headers }: Omit<Fetched, 'body' | 'picture'>, body: Buffer): ToKeep => ({
  contentType,
  headers,
  encodings: [],
  body,
  decoded: body,
})

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
