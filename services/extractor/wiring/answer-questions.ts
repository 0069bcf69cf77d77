/**
 * Part of the wiring: what the extractor is asked for by somebody who waits, which is maps, policies of sites, the
 * content of pages and of documents, and what scrapers read.
 */
import { answer } from '@tidemark/bus/ask'
import { atMost } from '@tidemark/bus/at-most'
import type { Bulky } from '@tidemark/bus/bulky'
import { jsonParser } from '@tidemark/bus/codec'
import { encodeCompact } from '@tidemark/bus/compact'
import type { Bus } from '@tidemark/bus/connection'
import type { Content } from '@tidemark/content/store'
import { GetPage } from '@tidemark/contracts/ask/cloud'
import { ComparePages, ReadContent, ScanPage } from '@tidemark/contracts/ask/content'
import { MapSite } from '@tidemark/contracts/ask/map'
import { ReadRobotsPolicy } from '@tidemark/contracts/ask/policy'
import { ListScrapers, ScrapeSite } from '@tidemark/contracts/ask/scrapers'
import { Transform } from '@tidemark/contracts/ask/transform'
import { asks } from '@tidemark/contracts/subjects'
import type { TSchema } from 'typebox'
import { encodeFound, encodeRead } from '../adapters/content-answers.ts'
import type { ContentThread } from '../adapters/content-thread.ts'
import type { FetchPage } from '../adapters/fetch-now.ts'
import { packed } from '../adapters/packed.ts'
import type { PdfThread } from '../adapters/pdf-thread.ts'
import type { Scrapers } from '../domain/scrapers/order.ts'
import { comparePages } from '../handlers/compare-pages.ts'
import { getPage } from '../handlers/get-page.ts'
import { listScrapers } from '../handlers/list-scrapers.ts'
import { mapSite } from '../handlers/map-site.ts'
import { readContent } from '../handlers/read-content.ts'
import { robotsPolicy } from '../handlers/robots-policy.ts'
import { scanPage } from '../handlers/scan-page.ts'
import { scrapeSite } from '../handlers/scrape-site.ts'
import type { ReadSiteFile } from '../handlers/site-files.ts'
import type { ReadSitePolicy } from '../handlers/site-policy.ts'
import { transform } from '../handlers/transform.ts'
import type { Settings } from '../settings.ts'

type Parts = {
  settings: Settings
  bus: Bus
  bulky: Bulky
  store: Content
  fetchPage: FetchPage
  readSiteFile: ReadSiteFile
  sitePolicy: ReadSitePolicy
  thread: ContentThread
  pdfs: PdfThread
  scrapers: Scrapers
  signal: AbortSignal
  report: (error: unknown) => void
}

/** One of its kind answers each question. */
const queue = 'extractor'
/** For the texts of one site together; the gateway waits a little longer. */
const policyMs = 20_000
/** Each holds up to a megabyte, and most of them wait. */
const policiesAtOnce = 64
/** Each holds a page while the next backend is tried, and most of them wait. */
const pagesAtOnce = 128
/** Each holds a document. */
const documentsAtOnce = 16

/** Resolves when the signal has aborted and what was asked is answered. */
export async function answerQuestions(parts: Parts): Promise<void> {
  const { settings, bus, bulky, fetchPage, readSiteFile, sitePolicy, thread, store, signal, report } = parts
  const { scrapers } = parts
  const { ROBOTS_TOKEN: robotsToken, MAX_DECODED_BYTES: maxDecodedBytes } = settings
  const at = <Q extends TSchema>(schema: Q) => ({ parse: jsonParser(schema), signal, report })
  const compact = { encode: encodeCompact }
  const map = packed(mapSite({ fetchPage, readSiteFile, robotsToken, timeoutMs: settings.MAP_TIMEOUT_MS }))
  const policy = atMost(policiesAtOnce, robotsPolicy({ sitePolicy, robotsToken, timeoutMs: policyMs }))
  const pages = { fetchPage, thread, maxBytes: maxDecodedBytes, maxDecodedBytes }
  const scan = scanPage({ ...pages, sitePolicy, timeoutMs: settings.SCAN_TIMEOUT_MS })
  const get = atMost(pagesAtOnce, getPage({ ...pages, readSiteFile, robotsToken }))
  const scrape = scrapeSite({ scrapers, thread, getPage: get })
  const list = listScrapers(scrapers)
  const read = readContent({ store, thread, maxDecodedBytes })
  const compare = comparePages({ store, thread, maxDecodedBytes })
  const documents = { bulky, thread, pdfs: parts.pdfs, withPdf: settings.TRANSFORM_PDF, report }
  const turn = atMost(documentsAtOnce, transform({ ...documents, maxBytes: maxDecodedBytes }))
  await Promise.all([
    answer(bus, asks.mapSite, queue, map, { ...at(MapSite), encode: bytes => bytes }),
    answer(bus, asks.robotsPolicy, queue, policy, { ...at(ReadRobotsPolicy), ...compact }),
    answer(bus, asks.scanPage, queue, scan, { ...at(ScanPage), encode: encodeFound }),
    answer(bus, asks.getPage, queue, get, { ...at(GetPage), encode: encodeFound }),
    answer(bus, asks.scrapeSite, queue, scrape, { ...at(ScrapeSite), ...compact }),
    answer(bus, asks.listScrapers, queue, list, { ...at(ListScrapers), ...compact }),
    answer(bus, asks.transform, queue, turn, { ...at(Transform), encode: encodeRead }),
    answer(bus, asks.readContent, queue, read, { ...at(ReadContent), encode: encodeRead }),
    answer(bus, asks.comparePages, queue, compare, { ...at(ComparePages), encode: encodeRead }),
  ])
}
