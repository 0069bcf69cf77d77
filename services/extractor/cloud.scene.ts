/** An extractor with a fake fetcher: each site defines the result of every backend, and requests are recorded. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Objm } from '@nats-io/obj'
import { openBulky } from '@tidemark/bus/bulky'
import { call, serve } from '@tidemark/bus/rpc'
import type { GetPage } from '@tidemark/contracts/rpc/cloud'
import * as cloudRpc from '@tidemark/contracts/rpc/cloud'
import * as contentRpc from '@tidemark/contracts/rpc/content'
import { nothing, type ScanPage } from '@tidemark/contracts/rpc/content'
import type { FetchedNow, FetchNow } from '@tidemark/contracts/rpc/fetch'
import * as fetchRpc from '@tidemark/contracts/rpc/fetch'
import type { ResponseOf } from '@tidemark/contracts/rpc/rpc'
import type { Transform } from '@tidemark/contracts/rpc/transform'
import * as transformRpc from '@tidemark/contracts/rpc/transform'
import { bulky as bulkyBucket } from '@tidemark/contracts/subjects'
import { startScene } from './extractor.scene.ts'

/** Result of a backend: a page, or a failure by its reason, after a delay. */
export type Answer = {
  html?: string
  type?: string
  status?: number
  url?: string
  headers?: Record<string, string>
  fails?: string
  /** Whether the backend fails before it requests the page. */
  isUnasked?: boolean
  picture?: Buffer
  /** Whether body and picture are sent by the object store. */
  isLarge?: boolean
  costUsd?: number
  moved?: number
  warnings?: string[]
  pictureWarning?: string
  afterMs?: number
}
/** The answers of a site by backend or proxy pool. Absent backends do not exist. */
export type Site = Record<string, Answer>

export const words = 'Words that a person wrote for people to read, and meant. '.repeat(20)
export const page = (text = words): Answer => ({ html: `<title>Page</title><h1>Page</h1><p>${text}</p>` })
export const challenge: Answer = {
  status: 403,
  html: '<title>Just a moment...</title><script>window._cf_chl_opt={}</script>',
}
export const shell: Answer = {
  html: '<title>App</title><body><div id="root"></div><script type="module" src="/app.js"></script>',
}

type Sent = FetchNow & { as: string }

export async function startCloudScene(env: Record<string, string> = {}) {
  const scene = await startScene({ TRANSFORM_PDF: 'true', SCAN_TIMEOUT_MS: '5000', ...env })
  const { bus } = scene
  const bulky = openBulky(bus)
  const sites = new Map<string, Site>()
  const requests: Sent[] = []
  const stop = new AbortController()
  const fail = (reason: string, isUnasked = false): FetchedNow => ({
    is: 'failed',
    reason,
    message: `It is ${reason}.`,
    hops: [],
    ...(isUnasked && { isUnasked }),
  })

  async function fetched(request: FetchNow): Promise<ResponseOf<typeof fetchRpc.fetchNow>> {
    const { by, url, timeoutMs } = request
    const as = by === undefined ? 'http' : by.backend === 'proxy' ? by.pool : by.backend
    requests.push({ ...request, as })
    const { host, pathname } = new URL(url)
    const has = sites.get(host)?.[pathname === '/robots.txt' ? 'robots' : as]
    if (has === undefined)
      return {
        header: pathname === '/robots.txt' ? notFound(url) : fail('not_configured'),
        blobs: [Buffer.of()],
      }
    await sleep(Math.min(has.afterMs ?? 0, timeoutMs))
    if ((has.afterMs ?? 0) > timeoutMs) return { header: fail('timeout'), blobs: [Buffer.of()] }
    if (has.fails !== undefined) return { header: fail(has.fails, has.isUnasked), blobs: [Buffer.of()] }
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
      ...(has.warnings && { warnings: has.warnings }),
      ...(picture && by?.backend === 'browser' && by.picture && ofPicture(keys.picture, has)),
    }
    const empty = Buffer.of()
    return {
      header,
      blobs: isLarge ? [empty, empty] : [body, ...(header.picture && picture ? [picture] : [])],
    }
  }

  const ofPicture = (bulkyKey: string | null, { pictureWarning }: Answer) => ({
    picture: { bulkyKey },
    ...(pictureWarning !== undefined && { pictureWarning }),
  })

  const notFound = (url: string): FetchedNow => ({
    ...{ is: 'fetched', url, status: 404, hops: [], contentType: null, robotsHeader: null, headers: {} },
    ...{ encodings: [], bulkyKey: null, elapsedMs: 1 },
  })

  const serving = { signal: stop.signal, report: () => {} }
  const fetchers = [fetchRpc.fetchNow, fetchRpc.renderNow].map(rpc => serve(bus, rpc, fetched, serving))
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
    requests,
    /** Creates a site with these results, and returns its first page. */
    site(has: Site): string {
      works += 1
      sites.set(`s${works}.test`, has)
      return `https://s${works}.test/`
    },
    requestsTo: (url: string) => requests.filter(one => one.url === url),
    getPage: (url: string, more: Partial<GetPage> = {}) =>
      call(
        bus,
        cloudRpc.getPage,
        {
          ...{ workId: -1, projectId: 1, url, means: { is: 'auto', from: 'http', country: null } },
          ...{ waitFor: 'load', picture: false, timeoutMs: 10_000, delayMs: 0, concurrency: 1 },
          ...{ respectRobots: false, wanted: { ...nothing, text: true } },
          ...more,
        },
        { timeoutMs: 30_000 },
      ),
    scan: (url: string, more: Partial<ScanPage> = {}) =>
      call(
        bus,
        contentRpc.scanPage,
        {
          workId: -1,
          url,
          delayMs: 0,
          concurrency: 1,
          site: 'none',
          wanted: { ...nothing, text: true },
          ...more,
        },
        { timeoutMs: 30_000 },
      ),
    transform: (data: string | Buffer, more: Partial<Transform> = {}) =>
      call(
        bus,
        transformRpc.transform,
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
        { timeoutMs: 40_000 },
      ),
    async close() {
      stop.abort()
      await Promise.all(fetchers)
      await scene.close()
    },
  }
}
