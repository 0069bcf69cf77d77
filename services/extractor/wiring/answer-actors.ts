/** Part of the wiring: what the extractor is asked for by the actors. */
import { answer } from '@tidemark/bus/ask'
import { atMost } from '@tidemark/bus/at-most'
import { jsonParser } from '@tidemark/bus/codec'
import { encodeCompact } from '@tidemark/bus/compact'
import type { Bus } from '@tidemark/bus/connection'
import { ReadPageAs, RenderDiff } from '@tidemark/contracts/ask/actors'
import { CheckLink } from '@tidemark/contracts/ask/check-link'
import { asks } from '@tidemark/contracts/subjects'
import type { Database } from '@tidemark/db/database'
import type { TSchema } from 'typebox'
import type { ContentThread } from '../adapters/content-thread.ts'
import type { FetchPage } from '../adapters/fetch-now.ts'
import { checkLink } from '../handlers/actors/check-link.ts'
import { readPageAs } from '../handlers/actors/read-page-as.ts'
import { renderDiff } from '../handlers/actors/render-diff.ts'
import type { ReadSiteFile } from '../handlers/site-files.ts'
import type { ReadSitePolicy } from '../handlers/site-policy.ts'
import type { Settings } from '../settings.ts'
import { answerLinkGraphs } from './answer-link-graphs.ts'
import { answerSitemaps } from './answer-sitemaps.ts'

type Parts = {
  settings: Settings
  bus: Bus
  pool: Database['pool']
  fetchPage: FetchPage
  readSiteFile: ReadSiteFile
  sitePolicy: ReadSitePolicy
  thread: ContentThread
  signal: AbortSignal
  report: (error: unknown) => void
}

/** One of its kind answers each question. */
const queue = 'extractor'
/** Each holds a page, and most of them wait. */
const pagesAtOnce = 128
/** Few of them hold any page. */
const linksAtOnce = 512

/** Resolves when the signal has aborted and what was asked is answered. */
export async function answerActors({ settings, bus, pool, signal, report, ...parts }: Parts): Promise<void> {
  const { MAX_DECODED_BYTES: maxDecodedBytes, ROBOTS_TOKEN: robotsToken } = settings
  const at = <Q extends TSchema>(schema: Q) => ({ parse: jsonParser(schema), signal, report })
  const compact = { encode: encodeCompact }
  const pages = { ...parts, maxBytes: maxDecodedBytes, maxDecodedBytes }
  const readPage = atMost(pagesAtOnce, readPageAs(pages))
  const check = atMost(linksAtOnce, checkLink({ ...parts, robotsToken }))
  const compareRendered = atMost(pagesAtOnce, renderDiff(pages))
  await Promise.all([
    answerSitemaps({ ...parts, bus, queue, signal, report }),
    answerLinkGraphs({ pool, robotsToken, bus, queue, signal, report }),
    answer(bus, asks.readPageAs, queue, readPage, { ...at(ReadPageAs), ...compact }),
    answer(bus, asks.checkLink, queue, check, { ...at(CheckLink), ...compact }),
    answer(bus, asks.renderDiff, queue, compareRendered, { ...at(RenderDiff), ...compact }),
  ])
}
