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
import { costOf, warned } from './get-page.ts'
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
export type ScanResult = { page: Omit<ScannedPage, 'content'>; content: Uint8Array }

/** Returns a handler. It throws a `Refusal` for a failed fetch: 502, or 400 for a private address. */
export function scanPage(ports: Ports) {
  return async (request: ScanPage): Promise<ScanResult> => {
    ports.thread.expect()
    const policyOf = startPolicy(ports, request)
    const isPlain = request.means === undefined && request.picture !== true
    const { url, result, content } = isPlain ? await plainly(ports, request) : await byMeans(ports, request)
    const [made, policy] = await Promise.all([content, policyOf(url)])
    const site: SiteFacts = {
      aiBotPolicy: policy === null || isLate(policy) ? null : policy.aiBotPolicy,
      llmsTxt: policy?.llmsTxt ?? null,
      llmsFullTxt: policy?.llmsFullTxt ?? null,
    }
    if (made.toKeep) keep(ports, request, { ...made.toKeep, ...result, url, site: policy && site })
    return { page: { url, ...result, ...site }, content: made.json }
  }
}

type ToKeep = Pick<FetchedScan, 'contentType' | 'headers' | 'encodings' | 'body' | 'decoded'>

/**
 * Returns the owner of the stored page; null: later scans may not use it. A page with a screenshot may come from
 * another backend than one without.
 */
const storedFor = ({ recorder }: Ports, { keepFor: tier, projectId, picture }: ScanPage) =>
  recorder === null || tier === undefined || projectId === undefined || picture === true
    ? null
    : { projectId, tier }

function keep(
  ports: Ports,
  request: ScanPage,
  page: ToKeep & Pick<FetchedScan, 'url' | 'status' | 'fetchedAt' | 'site'>,
): void {
  const owner = storedFor(ports, request)
  if (owner === null) return
  const { url, status, fetchedAt, site, contentType, headers, encodings, body, decoded } = page
  ports.recorder?.record({
    ...{ ...owner, requestedUrl: request.url, means: nameOfMeans(request) },
    ...{ url, status, fetchedAt, site, contentType, headers, encodings, body, decoded },
  })
}

/** The result of a page before its content is made. */
type Found = {
  url: string
  result: Pick<
    ScannedPage,
    'status' | 'fetchedAt' | 'backend' | 'pool' | 'tried' | 'costUsd' | 'moved' | 'picture'
  >
  content: Promise<Made> | Made
}

/**
 * `toKeep` is null for a page that is not stored, for a challenge, a refusal or a shell in its place, and for a page
 * that was not loaded completely, because its warning would not be stored.
 */
type Made = { json: Uint8Array; toKeep: ToKeep | null }

/** Fetches a page by plain HTTP: the fast path of nearly all scans. */
async function plainly(ports: Ports, request: ScanPage): Promise<Found> {
  const { workId, projectId, url, delayMs, concurrency, userAgent } = request
  const { maxBytes } = ports
  const timeoutMs = request.timeoutMs ?? ports.timeoutMs
  const own = userAgent === undefined ? {} : { userAgent }
  const rate = { workId, ...(projectId !== undefined && { projectId }), delayMs, concurrency }
  const limits = { maxHops: maxPageRedirects, maxBytes, cuts: false, timeoutMs }
  const page = await ports.fetchPage({ ...rate, url, ...limits, ...own })
  if (page.is === 'failed') throw refusalOf(page)
  const result = { status: page.status, fetchedAt: new Date().toISOString() }
  return { url: page.url, result, content: contentFor(ports, request, page) }
}

async function byMeans(ports: Ports, request: ScanPage): Promise<Found> {
  const { means = { is: 'http' }, picture: withPicture = false, timeoutMs = ports.timeoutMs } = request
  const escalation = {
    ...request,
    means,
    waitFor: 'networkidle' as const,
    picture: withPicture,
    keepsBody: storedFor(ports, request) !== null,
    owner: ownerOf(request),
    endsAt: performance.now() + timeoutMs,
  }
  const escalated = await escalate(ports, escalation)
  const picture = withPicture ? await pictureOf(ports, escalation, escalated) : null
  const { step, outcome, page, made, fetchedAt, body } = escalated.response
  const { warnings = [] } = page
  return {
    url: page.url,
    result: {
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
    content: {
      json: warned(made.json, [...warnings, ...(picture?.warnings ?? [])]),
      toKeep: body && outcome === 'page' && warnings.length === 0 ? toKeepOf(page, body) : null,
    },
  }
}

async function contentFor(ports: Ports, request: ScanPage, page: Fetched): Promise<Made> {
  const { thread, maxDecodedBytes } = ports
  const { url, status, contentType, encodings, headers } = page
  const decoded = decodedOrRefused(page.body, encodings, maxDecodedBytes)
  const toMake = { url, status, contentType, headers, body: decoded, wanted: request.wanted }
  const { json, challenge } = await thread.make(toMake, ownerOf(request))
  const isStored = challenge === null && storedFor(ports, request) !== null
  return { json, toKeep: isStored ? { contentType, headers, encodings, body: page.body, decoded } : null }
}

/** Returns the page to store. The body of a page from the backends is decoded already. */
const toKeepOf = ({ contentType, headers }: Omit<Fetched, 'body' | 'picture'>, body: Buffer): ToKeep => ({
  contentType,
  headers,
  encodings: [],
  body,
  decoded: body,
})

const ownerOf = ({ projectId, workId }: ScanPage): string =>
  projectId === undefined ? `work ${workId}` : `project ${projectId}`

/**
 * Starts to read the policy of the requested site. Returns a function that returns the policy of the site of the page,
 * which is another one after a redirect to another origin.
 */
function startPolicy(ports: Ports, request: ScanPage): (url: string) => Promise<SitePolicy | null> {
  const early = policyFor(ports, request, request.url)
  early.catch(() => {}) // if the page fails, the policy is not needed
  return url => (originOf(url) === originOf(request.url) ? early : policyFor(ports, request, url))
}

/** Returns null if the policy was not requested or failed: the page is useful without it. */
async function policyFor(
  { sitePolicy }: Ports,
  { site, projectId }: ScanPage,
  url: string,
): Promise<SitePolicy | null> {
  if (site === 'none') return null
  const wanted = { timeoutMs: policyMs, withFull: site === 'policy_and_full', projectId }
  return sitePolicy(originOf(url), wanted).catch(error => {
    if (error instanceof Refusal) return null
    throw error
  })
}

/** A robots.txt that took too long is unknown. */
const isLate = ({ robotsError }: SitePolicy): boolean => robotsError?.reason === 'timeout'

const originOf = (url: string): string => new URL(url).origin
