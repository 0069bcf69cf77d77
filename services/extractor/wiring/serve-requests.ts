/**
 * Part of the wiring: RPCs of waiting clients, which are maps, policies of sites, the content of pages and documents,
 * replays, and scrapers.
 */

import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { inShares } from '@tidemark/bus/at-most'
import { compact } from '@tidemark/bus/compact'
import { serve, serveEncoded } from '@tidemark/bus/rpc'
import * as cloudRpc from '@tidemark/contracts/rpc/cloud'
import * as contentRpc from '@tidemark/contracts/rpc/content'
import * as mapRpc from '@tidemark/contracts/rpc/map'
import * as modelRpc from '@tidemark/contracts/rpc/model'
import * as policyRpc from '@tidemark/contracts/rpc/policy'
import * as scrapersRpc from '@tidemark/contracts/rpc/scrapers'
import * as transformRpc from '@tidemark/contracts/rpc/transform'
import type { Model } from '../adapters/model.ts'
import { describeChange } from '../handlers/changes/describe-change.ts'
import { judgeChange } from '../handlers/changes/judge-change.ts'
import { comparePages } from '../handlers/compare-pages.ts'
import { type Got, getPage } from '../handlers/get-page.ts'
import { listScrapers } from '../handlers/list-scrapers.ts'
import { mapSite } from '../handlers/map/map-site.ts'
import { readContent } from '../handlers/read-content.ts'
import { readScan } from '../handlers/read-scan.ts'
import { robotsPolicy } from '../handlers/robots-policy.ts'
import { type ScanResult, scanPage } from '../handlers/scan-page.ts'
import { scrapeSite } from '../handlers/scrape-site.ts'
import { transform } from '../handlers/transform.ts'
import { embeddingsOffer } from '../settings-model.ts'
import type { ExtractorParts } from './parts.ts'
import { serveReplays } from './serve-replays.ts'

type Parts = Pick<
  ExtractorParts,
  | 'settings'
  | 'bus'
  | 'bulky'
  | 'store'
  | 'scans'
  | 'recorder'
  | 'fetchPage'
  | 'readSiteFile'
  | 'sitePolicy'
  | 'thread'
  | 'model'
  | 'pdfs'
  | 'scrapers'
  | 'signal'
  | 'report'
>

/** Time for the texts of one site together; the gateway waits a little longer. */
const policyMs = 20_000
/** Concurrent requests for policies. Each holds up to a megabyte, and most of them wait. */
const policiesAtOnce = 64
/** Concurrent requests for pages. Each holds a page while the next backend is tried, and most of them wait. */
const pagesAtOnce = 128
/** Concurrent requests that hold a document. */
const documentsAtOnce = 16

/** Resolves when the signal has aborted and all pending requests are answered. */
export async function serveRequests(parts: Parts): Promise<void> {
  const { settings, bus, bulky, fetchPage, readSiteFile, sitePolicy, thread, store, signal, report } = parts
  const { scrapers, model, scans, recorder } = parts
  const { ROBOTS_TOKEN: robotsToken, MAX_DECODED_BYTES: maxDecodedBytes } = settings
  const serving = { signal, report }
  const offer = { model: model && offerOf(model), embeddings: embeddingsOffer(settings) }
  const map = packed(mapSite({ fetchPage, readSiteFile, robotsToken, timeoutMs: settings.MAP_TIMEOUT_MS }))
  const policy = inShares(policiesAtOnce, robotsPolicy({ sitePolicy, robotsToken, timeoutMs: policyMs }))
  const pages = { fetchPage, thread, maxBytes: maxDecodedBytes, maxDecodedBytes }
  const scan = scanPage({ ...pages, sitePolicy, recorder, timeoutMs: settings.SCAN_TIMEOUT_MS })
  const get = inShares(pagesAtOnce, getPage({ ...pages, readSiteFile, robotsToken }))
  const scrape = scrapeSite({
    scrapers,
    thread,
    getPage: get,
    followsRobots: settings.SCRAPERS_FOLLOW_ROBOTS,
  })
  const list = listScrapers(scrapers)
  const read = readContent({ store, thread, maxDecodedBytes })
  const reread = readScan({ scans, thread, maxDecodedBytes, report })
  const compare = comparePages({ store, thread, maxDecodedBytes })
  const documents = { bulky, thread, pdfs: parts.pdfs, withPdf: settings.TRANSFORM_PDF, report }
  const convert = inShares(documentsAtOnce, transform({ ...documents, maxBytes: maxDecodedBytes }))
  await Promise.all([
    serveReplays({ settings, bus, bulky, store, ...serving }),
    serveEncoded(bus, mapRpc.mapSite, map, serving),
    serve(bus, policyRpc.robotsPolicy, policy, serving),
    serve(bus, modelRpc.describeChange, describeChange(model), serving),
    serve(bus, modelRpc.judgeChange, judgeChange(model), serving),
    serve(bus, modelRpc.offerModel, async () => offer, serving),
    serveEncoded(bus, contentRpc.scanPage, async request => encodeFound(await scan(request)), serving),
    serveEncoded(
      bus,
      contentRpc.readScan,
      async request => encodeIfFound(recorder && (await reread(request))),
      serving,
    ),
    serveEncoded(bus, cloudRpc.getPage, async request => encodeFound(await get(request)), serving),
    serve(bus, scrapersRpc.scrapeSite, scrape, serving),
    serve(bus, scrapersRpc.listScrapers, list, serving),
    serveEncoded(bus, transformRpc.transform, async request => encodeRead(await convert(request)), serving),
    serveEncoded(bus, contentRpc.readContent, async request => encodeRead(await read(request)), serving),
    serveEncoded(bus, contentRpc.comparePages, async request => encodeRead(await compare(request)), serving),
  ])
}

const offerOf = ({ name, host }: Model) => ({ name, host })

// The content of a page is JSON already and is embedded without parsing.
const emptyAnswer = Buffer.from('null')
const content = Buffer.from(',"content":')
const end = Buffer.from('}')

/** Encodes `ScannedPage` and `GotPage`. Throws a `Refusal` (502 `too_large`), as `encodeRead` does. */
function encodeFound({ page, content: made }: ScanResult | Got): Uint8Array {
  const open = Buffer.from(JSON.stringify(page).slice(0, -1))
  return compact(Buffer.concat([open, content, made, end]))
}

/** Encodes `ReadScanResponse`. */
const encodeIfFound = (found: ScanResult | null): Uint8Array =>
  found === null ? emptyAnswer : encodeFound(found)

/** Encodes `ReadContentResponse`, `ComparePagesResponse` and `TransformResponse`. */
const encodeRead = (made: Uint8Array | null): Uint8Array => (made === null ? emptyAnswer : compact(made))

const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)

/** Maximum concurrent maps. Most of them wait for sites. Their collected URLs and bodies have separate limits. */
const mapsAtOnce = 32
const mapsOfProject = 4

/**
 * Returns a handler that responds with JSON in gzip, because lists of URLs shrink to a tenth. It refuses requests
 * beyond the limit of all projects (503), and beyond the limit of one project (429).
 */
const packed = <Request extends { projectId?: number }>(handle: (request: Request) => Promise<object>) =>
  inShares(
    mapsAtOnce,
    async (request: Request) => gzip(Buffer.from(JSON.stringify(await handle(request))), { level: 1 }),
    mapsOfProject,
  )
