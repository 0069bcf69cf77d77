/** The result for a page listed in a sitemap, from the beginning of its response. */
import type { PageProbed } from '@tidemark/contracts/rpc/sitemaps'
import { challengeOf } from '@tidemark/html/challenge'
import { asHtml, decodeHtml } from '@tidemark/html/decode'
import { isHtml } from '@tidemark/html/media-type'
import type { PageFacts } from '@tidemark/html/page-facts'
import { readPage } from '@tidemark/html/read-page'
import { normalForm } from '@tidemark/url/normal-form'
import { resolverIn } from '@tidemark/url/query-charset'
import { createResolver } from '@tidemark/url/resolver'
import { heededCanonical } from './heeded-canonical.ts'
import { isNoindex, metaRobotsOf } from './indexing.ts'
import { bucketOf } from './sitemap-bucket.ts'

export type ProbeResponse = {
  url: string
  status: number
  contentType: string | null
  /** Redirect target as sent. */
  location?: string
  /** Headers of `reportedHeaders`. */
  headers: Record<string, string>
  /** Decoded; null if decoding failed. */
  body: Buffer | null
  /** Milliseconds since 1970. */
  now: number
}

const nothing = Buffer.alloc(0)

/** Returns the result of a page without a response. */
export const resultWithoutResponse = (error: string, isUnasked: boolean): PageProbed => ({
  status: null,
  bucket: 'network_error',
  error,
  isUnasked,
  challenge: null,
  redirectedTo: null,
  canonical: null,
  robotsTag: null,
  metaRobots: null,
})

/** Works in steps, as pages are read. */
export function* probedSteps(response: ProbeResponse): Generator<void, PageProbed> {
  const { url, status, headers, location, body, now } = response
  const html = yield* htmlOf(response)
  const facts = html?.facts ?? null
  const robotsTag = headers['x-robots-tag'] ?? null
  const canonical = heededCanonical(response, html)
  const found = {
    status,
    hasFailed: body === null,
    isNoindex: isNoindex(facts, robotsTag, now),
    isAway: canonical !== null && canonical !== normalForm(url),
  }
  return {
    status,
    bucket: bucketOf(found),
    error: body === null ? 'protocol' : null,
    challenge: challengeIn(response, facts),
    isUnasked: false,
    redirectedTo: location === undefined ? null : (URL.parse(location, url)?.href ?? null),
    canonical,
    robotsTag,
    metaRobots: facts === null ? null : metaRobotsOf(facts),
  }
}

function* htmlOf({
  url,
  contentType,
  body,
}: ProbeResponse): Generator<void, { text: string; charset: string; facts: PageFacts } | null> {
  if (body === null || !isHtml(contentType, body)) return null
  const { html: text, charset } = decodeHtml(body, contentType)
  const createOwn = resolverIn(charset, createResolver)
  const facts = yield* readPage(asHtml(text, contentType), {
    url,
    resolve: createOwn(url),
    createResolver: createOwn,
  })
  return { text, charset, facts }
}

const challengeIn = ({ status, headers, body }: ProbeResponse, facts: PageFacts | null): string | null =>
  challengeOf({
    status,
    marks: headers,
    body: body ?? nothing,
    title: facts?.title ?? null,
    words: facts?.text.words ?? null,
  })
