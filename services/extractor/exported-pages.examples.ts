/** The pages of runs that are exported: as the projector lists them, and as the extractor stores them. */
import { hash } from 'node:crypto'
import { plainBody } from '@tidemark/content/body'
import { encodeEdges } from '@tidemark/content/edges'
import type { ListedPage } from '@tidemark/contracts/rpc/exports'
import { urlKey } from '@tidemark/url/key'

export const at = '2026-01-02T03:04:05.678Z'

export const firstId = (runId: number): number => runId * 1_000_000
export const urlOf = (runId: number, n: number): string => `https://site-${runId}.test/page/${n}`
/** The pages of runs with greater ids have equal texts. */
export const lastDifferent = 50
/** Returns HTML that is hard to compress. It differs in every page of the runs up to `lastDifferent`. */
const htmlOf = (runId: number, number: number, bytes: number): string => {
  const n = runId > lastDifferent ? 0 : number
  const words = hash('sha512', `${runId} ${n}`)
  return `<title>Page ${n}</title><h1>Page ${n}</h1><p>${words.repeat(Math.ceil(bytes / words.length))}</p>`
}

/** @param isBlocked whether the page is a challenge */
export function listed(runId: number, n: number, bytes: number, isBlocked = false): ListedPage {
  const url = urlOf(runId, n)
  const html = htmlOf(runId, n, bytes)
  const rawHash = hash('sha256', html)
  return {
    ...{ id: firstId(runId) + n, urlKey: urlKey(url), url, requestedUrl: null },
    ...{ status: n % 10 === 9 ? 404 : 200, bytes: html.length, depth: 1, fetchedAt: at },
    ...{ contentType: 'text/html; charset=utf-8', title: `Page ${n}`, contentHash: rawHash, rawHash },
    ...(isBlocked && { blocked: true }),
  }
}

export function stored(runId: number, n: number, bytes: number) {
  const html = Buffer.from(htmlOf(runId, n, bytes))
  const edges = [{ href: urlOf(runId, n + 1), anchor: 'next', rel: null, nofollow: false }]
  return {
    runId,
    urlKey: urlKey(urlOf(runId, n)),
    body: plainBody(hash('sha256', html, 'buffer'), html),
    charset: 'utf-8',
    contentType: 'text/html; charset=utf-8',
    metadata: JSON.stringify({ title: `Page ${n}`, robots: [] }),
    edges: encodeEdges(edges),
    headers: 'content-type: text/html; charset=utf-8\nserver: tides\n',
  }
}
