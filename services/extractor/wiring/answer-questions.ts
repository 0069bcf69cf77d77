/**
 * Part of the wiring: what the extractor is asked for by somebody who waits, which is maps, policies of sites, and the
 * content of pages.
 */
import { answer } from '@tidemark/bus/ask'
import { jsonParser } from '@tidemark/bus/codec'
import { encodeCompact } from '@tidemark/bus/compact'
import type { Bus } from '@tidemark/bus/connection'
import type { Content } from '@tidemark/content/store'
import { ComparePages, ReadContent, ScanPage } from '@tidemark/contracts/ask/content'
import { MapSite } from '@tidemark/contracts/ask/map'
import { ReadRobotsPolicy } from '@tidemark/contracts/ask/policy'
import { asks } from '@tidemark/contracts/subjects'
import type { TSchema } from 'typebox'
import { encodeRead, encodeScanned } from '../adapters/content-answers.ts'
import type { ContentThread } from '../adapters/content-thread.ts'
import type { FetchPage } from '../adapters/fetch-now.ts'
import { packed } from '../adapters/packed.ts'
import { comparePages } from '../handlers/compare-pages.ts'
import { mapSite } from '../handlers/map-site.ts'
import { readContent } from '../handlers/read-content.ts'
import { robotsPolicy } from '../handlers/robots-policy.ts'
import { scanPage } from '../handlers/scan-page.ts'
import type { ReadSiteFile } from '../handlers/site-files.ts'
import type { ReadSitePolicy } from '../handlers/site-policy.ts'
import type { Settings } from '../settings.ts'
import { atMost } from '../turns/at-most.ts'

type Parts = {
  settings: Settings
  bus: Bus
  store: Content
  fetchPage: FetchPage
  readSiteFile: ReadSiteFile
  sitePolicy: ReadSitePolicy
  thread: ContentThread
  signal: AbortSignal
  report: (error: unknown) => void
}

/** One of its kind answers each question. */
const queue = 'extractor'
/** For the texts of one site together; the gateway waits a little longer. */
const policyMs = 20_000
/** Each holds up to a megabyte, and most of them wait. */
const policiesAtOnce = 64

/** Resolves when the signal has aborted and what was asked is answered. */
export async function answerQuestions(parts: Parts): Promise<void> {
  const { settings, bus, fetchPage, readSiteFile, sitePolicy, thread, store, signal, report } = parts
  const { ROBOTS_TOKEN: robotsToken, MAX_DECODED_BYTES: maxDecodedBytes } = settings
  const at = <Q extends TSchema>(schema: Q) => ({ parse: jsonParser(schema), signal, report })
  const compact = { encode: encodeCompact }
  const map = packed(mapSite({ fetchPage, readSiteFile, robotsToken, timeoutMs: settings.MAP_TIMEOUT_MS }))
  const policy = atMost(policiesAtOnce, robotsPolicy({ sitePolicy, robotsToken, timeoutMs: policyMs }))
  const scan = scanPage({
    fetchPage,
    thread,
    sitePolicy,
    timeoutMs: settings.SCAN_TIMEOUT_MS,
    maxBytes: maxDecodedBytes,
    maxDecodedBytes,
  })
  const read = readContent({ store, thread, maxDecodedBytes })
  const compare = comparePages({ store, thread, maxDecodedBytes })
  await Promise.all([
    answer(bus, asks.mapSite, queue, map, { ...at(MapSite), encode: bytes => bytes }),
    answer(bus, asks.robotsPolicy, queue, policy, { ...at(ReadRobotsPolicy), ...compact }),
    answer(bus, asks.scanPage, queue, scan, { ...at(ScanPage), encode: encodeScanned }),
    answer(bus, asks.readContent, queue, read, { ...at(ReadContent), encode: encodeRead }),
    answer(bus, asks.comparePages, queue, compare, { ...at(ComparePages), encode: encodeRead }),
  ])
}
