/**
 * Stores the pages of scans for later scans of their projects, a moment after the answers and several at once. A page
 * that is not written, because the process ends, the database is unavailable or too many wait, costs nothing but a
 * later fetch.
 */
import { hash } from 'node:crypto'
import { plainBody } from '@tidemark/content/body'
import type { Scans, StoredScan } from '@tidemark/content/scans/scans'
import type { ScannedPage } from '@tidemark/contracts/rpc/content'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import { startOfText } from '../domain/site-reading.ts'

/** Facts about the site of a page. */
export type SiteFacts = Pick<ScannedPage, 'aiBotPolicy' | 'llmsTxt' | 'llmsFullTxt'>

/** A page of a scan as it was fetched. */
export type FetchedScan = Pick<
  StoredScan,
  'projectId' | 'tier' | 'means' | 'url' | 'status' | 'contentType'
> & {
  requestedUrl: string
  fetchedAt: string
  headers: Record<string, string>
  /** As the origin sent it, in these encodings. */
  body: Buffer
  encodings: string[]
  decoded: Buffer
  /** Null: they were not requested. */
  site: SiteFacts | null
}

export type ScanRecorder = AsyncDisposable & {
  /** Never waits and never throws. */
  record(scan: FetchedScan): void
}

type Options = {
  report: (error: unknown) => void
  /** Milliseconds for which scans are collected. */
  waitMs?: number
  /** Maximum bytes of all pages that wait or are being written. Further ones are not stored. */
  maxBytes?: number
}

const usual = { waitMs: 50, maxBytes: 32 * 1024 ** 2 }

export function createScanRecorder(
  scans: Pick<Scans, 'store'>,
  { report, waitMs = usual.waitMs, maxBytes = usual.maxBytes }: Options,
): ScanRecorder {
  let waiting: FetchedScan[] = []
  let held = 0
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  return {
    record(scan) {
      if (held + sizeOf(scan) > maxBytes) return
      held += sizeOf(scan)
      waiting.push(scan)
      timer ??= setTimeout(write, waitMs)
    },
    async [Symbol.asyncDispose]() {
      write()
      await writing
    },
  }

  /** One write at a time: while the database is slow, the next ones become larger. */
  function write(): void {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(async () => {
      const batch = waiting
      waiting = []
      if (batch.length === 0) return
      try {
        await scans.store(batch.flatMap(scan => storedOf(scan) ?? []))
      } catch (error) {
        report(error)
      } finally {
        for (const scan of batch) held -= sizeOf(scan)
      }
    })
  }
}

const sizeOf = ({ body, decoded }: FetchedScan): number => body.byteLength + decoded.byteLength

function storedOf(scan: FetchedScan): StoredScan | null {
  const normal = normalForm(scan.requestedUrl)
  if (normal === null) return null
  const { projectId, tier, means, url, status, contentType, encodings, body: asSent, decoded } = scan
  const digest = hash('sha256', decoded, 'buffer')
  const body =
    asSent === decoded || encodings.length === 0
      ? plainBody(digest, decoded)
      : { hash: digest, encodings, size: decoded.byteLength, data: asSent }
  return {
    ...{ projectId, tier, means, url, status, contentType, body },
    urlKey: urlKey(normal),
    fetchedAt: new Date(scan.fetchedAt),
    headers: JSON.stringify(scan.headers),
    site: scan.site && siteBody(scan.site),
  }
}

/** Returns the facts about a site as a body. Its texts have the same maximum length as those that crawls store. */
function siteBody({ aiBotPolicy, llmsTxt, llmsFullTxt }: SiteFacts) {
  const start = (text: string | null) => startOfText({ text, truncated: false })[0]
  const facts: SiteFacts = { aiBotPolicy, llmsTxt: start(llmsTxt), llmsFullTxt: start(llmsFullTxt) }
  const json = Buffer.from(JSON.stringify(facts))
  return plainBody(hash('sha256', json, 'buffer'), json)
}
