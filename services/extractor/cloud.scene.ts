/** An extractor whose fetcher is a stand-in: each site says what every backend has of it, and what was asked is noted. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Objm } from '@nats-io/obj'
import { answer, ask } from '@tidemark/bus/ask'
import { openBulky } from '@tidemark/bus/bulky'
import { jsonParser } from '@tidemark/bus/codec'
import { decodeCompact } from '@tidemark/bus/compact'
import { encodeFrame } from '@tidemark/bus/frame'
import type { GetPage, GotPage } from '@tidemark/contracts/ask/cloud'
import type { Content, ScannedPage, ScanPage } from '@tidemark/contracts/ask/content'
import { type FetchedNow, FetchNow } from '@tidemark/contracts/ask/fetch'
import type { Transform, TransformAnswer } from '@tidemark/contracts/ask/transform'
import { asks, bulky as bulkyBucket } from '@tidemark/contracts/subjects'
import { startScene } from './extractor.scene.ts'

/** What a backend has: a page, or a failure by its reason; after a while. */
export type Answer = {
  html?: string
  type?: string
  status?: number
  url?: string
  headers?: Record<string, string>
  fails?: string
  picture?: Buffer
  /** Whether it lies in the object store. */
  isLarge?: boolean
  costUsd?: number
  moved?: number
  afterMs?: number
}
/** By backend, or by pool of proxies; there is none of what is left out. */
export type Site = Record<string, Answer>

export const words = 'Words that somebody wrote for people to read, and meant. '.repeat(20)
export const page = (text = words): Answer => ({ html: `<title>Page</title><h1>Page</h1><p>${text}</p>` })
export const challenge: Answer = {
  status: 403,
  html: '<title>Just a moment...</title><script>window._cf_chl_opt={}</script>',
}
export const shell: Answer = {
  html: '<title>App</title><body><div id="root"></div><script type="module" src="/app.js"></script>',
}

const nothing = { html: false, markdown: null, article: false, signals: false, anchors: false }
type Asked = FetchNow & { as: string }

export async function startCloudScene(env: Record<string, string> = {}) {
  const scene = await startScene({ TRANSFORM_PDF: 'true', SCAN_TIMEOUT_MS: '5000', ...env })
  const { bus } = scene
  const bulky = openBulky(bus)
  const sites = new Map<string, Site>()
  const asked: Asked[] = []
  const stop = new AbortController()
  const fail = (reason: string): FetchedNow => ({
    is: 'failed',
    reason,
    message: `It is ${reason}.`,
    hops: [],
  })

  async function fetched(question: FetchNow): Promise<Uint8Array> {
    const { by, url, timeoutMs } = question
    const as = by === undefined ? 'http' : by.backend === 'proxy' ? by.pool : by.backend
    asked.push({ ...question, as })
    const { host, pathname } = new URL(url)
    const has = sites.get(host)?.[pathname === '/robots.txt' ? 'robots' : as]
    if (has === undefined)
      return encodeFrame(pathname === '/robots.txt' ? gone(url) : fail('not_configured'), [Buffer.of()])
    await sleep(Math.min(has.afterMs ?? 0, timeoutMs))
    if ((has.afterMs ?? 0) > timeoutMs) return encodeFrame(fail('timeout'), [Buffer.of()])
    if (has.fails !== undefined) return encodeFrame(fail(has.fails), [Buffer.of()])
    const body = Buffer.from(has.html ?? '')
    const { picture, isLarge = false } = has
    if (isLarge) await Promise.all([bulky.put(`b:${url}`, body), bulky.put(`p:${url}`, picture ?? body)])
    const keys = isLarge ? { body: `b:${url}`, picture: `p:${url}` } : { body: null, picture: null }
    const header: FetchedNow = {
      is: 'fetched',
      url: has.url ?? url,
      status: has.status ?? 200,
      hops: [],
      contentType: has.type ?? 'text/html; charset=utf-8',
      robotsHeader: null,
      headers: has.headers ?? {},
      encodings: [],
      bulkyKey: keys.body,
      elapsedMs: 1,
      ...(has.costUsd !== undefined && { costUsd: has.costUsd }),
      ...(has.moved !== undefined && { moved: has.moved }),
      ...(picture && by?.backend === 'browser' && by.picture && { picture: { bulkyKey: keys.picture } }),
    }
    const empty = Buffer.of()
    return encodeFrame(
      header,
      isLarge ? [empty, empty] : [body, ...(header.picture && picture ? [picture] : [])],
    )
  }

  const gone = (url: string): FetchedNow => ({
    ...{ is: 'fetched', url, status: 404, hops: [], contentType: null, robotsHeader: null, headers: {} },
    ...{ encodings: [], bulkyKey: null, elapsedMs: 1 },
  })

  const answering = {
    parse: jsonParser(FetchNow),
    encode: (bytes: Uint8Array) => bytes,
    signal: stop.signal,
    report: () => {},
  }
  const fetchers = [asks.fetchNow, asks.renderNow].map(subject =>
    answer(bus, subject, 'fetcher', fetched, answering),
  )
  await scene.start()
  let works = 0

  return {
    ...scene,
    bulky,
    async isStored(key: string): Promise<boolean> {
      const objects = await new Objm(bus.nc).open(bulkyBucket)
      const known = await objects.info(key)
      return known !== null && !known.deleted
    },
    asked,
    /** A new site of which every backend has what is said; its first page. */
    site(has: Site): string {
      works += 1
      sites.set(`s${works}.test`, has)
      return `https://s${works}.test/`
    },
    askedOf: (url: string) => asked.filter(one => one.url === url),
    getPage: (url: string, more: Partial<GetPage> = {}) =>
      ask<GetPage, GotPage>(
        bus,
        asks.getPage,
        {
          ...{ workId: -1, projectId: 1, url, means: { is: 'auto', from: 'http', country: null } },
          ...{ waitFor: 'load', picture: false, timeoutMs: 10_000, delayMs: 0, concurrency: 1 },
          ...{ respectRobots: false, wanted: { ...nothing, text: true } },
          ...more,
        },
        { timeoutMs: 30_000, decode: decodeCompact },
      ),
    scan: (url: string, more: Partial<ScanPage> = {}) =>
      ask<ScanPage, ScannedPage & { content: Content }>(
        bus,
        asks.scanPage,
        {
          workId: -1,
          url,
          delayMs: 0,
          concurrency: 1,
          site: 'none',
          wanted: { ...nothing, text: true },
          ...more,
        },
        { timeoutMs: 30_000, decode: decodeCompact },
      ),
    transform: (data: string | Buffer, more: Partial<Transform> = {}) =>
      ask<Transform, TransformAnswer>(
        bus,
        asks.transform,
        {
          ...{
            projectId: 1,
            kind: typeof data === 'string' ? 'html' : 'pdf',
            format: 'text',
            readability: false,
          },
          ...{ data: typeof data === 'string' ? data : data.toString('base64'), bulkyKey: null },
          ...more,
        },
        { timeoutMs: 40_000, decode: decodeCompact },
      ),
    async close() {
      stop.abort()
      await Promise.all(fetchers)
      await scene.close()
    },
  }
}
