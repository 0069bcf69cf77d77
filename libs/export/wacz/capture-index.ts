/** The index of a WACZ: one line of CDXJ per capture, collected while the WARC is written, and sorted at its end. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { PackedItems } from '../packed-items.ts'
import type { Capture } from '../warc/page-records.ts'
import { warcUri } from '../warc/record.ts'

/** Items that are merged until other work may run. */
const itemsPerStep = 8192

const digestPrefix = 'sha256:'

export class CaptureIndex {
  /** Fields separated by spaces, in the order of `lineOf`. */
  readonly #captures = new PackedItems()

  /** Adds a record at a position of the WARC. */
  add({ page, payloadDigest }: Capture, offset: number, length: number): void {
    const url = warcUri(page.url)
    const time = page.fetchedAt.replace(/\D/g, '').slice(0, 14)
    const mime =
      page.contentType
        ?.split(';')[0]
        ?.toLowerCase()
        .replace(/[^\x21-\x7e]/g, '') || 'unk'
    const digest = Buffer.from(payloadDigest.slice(digestPrefix.length), 'hex').toString('base64url')
    const fields = [searchKey(url), time, url, mime, page.status, digest, length, offset]
    this.#captures.add(Buffer.from(fields.join(' ')))
  }

  /** Yields the lines in order. */
  async *sorted(): AsyncGenerator<string> {
    for (const n of await sortedOrder(this.#captures)) yield lineOf(this.#captures.at(n).toString())
  }
}

function lineOf(capture: string): string {
  const [key, time, url, mime, status, digest = '', length, offset] = capture.split(' ')
  const fields = {
    url,
    mime,
    status: Number(status),
    digest: digestPrefix + Buffer.from(digest, 'base64url').toString('hex'),
    length: Number(length),
    offset: Number(offset),
    filename: 'data.warc.gz',
  }
  return `${key} ${time} ${JSON.stringify(fields)}\n`
}

/**
 * Returns the key by which replay software finds a URL: the host reversed, without `www`, then the path and the sorted
 * parameters, all in lower case.
 */
export function searchKey(url: string): string {
  const parsed = URL.parse(url.toLowerCase())
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return url
  const host = parsed.hostname
    .replace(/^www\d*\./, '')
    .split('.')
    .reverse()
    .join(',')
  const port = parsed.port === '' ? '' : `:${parsed.port}`
  const query = parsed.search === '' ? '' : `?${parsed.search.slice(1).split('&').sort().join('&')}`
  return `${host}${port})${parsed.pathname}${query}`
}

/** Returns the numbers of the items in the order of their bytes. A merge sort that lets other work run in between. */
async function sortedOrder(items: PackedItems): Promise<Uint32Array> {
  let order = Uint32Array.from({ length: items.count }, (_, n) => n)
  let merged = new Uint32Array(items.count)
  let left = itemsPerStep
  for (let width = 1; width < order.length; width *= 2) {
    for (let start = 0; start < order.length; start += 2 * width) {
      mergeRuns(items, order, merged, start, width)
      left -= 2 * width
      if (left > 0) continue
      left = itemsPerStep
      await nextTurn()
    }
    ;[order, merged] = [merged, order]
  }
  return order
}

/** Merges two adjacent sorted runs of this width. */
function mergeRuns(
  items: PackedItems,
  from: Uint32Array,
  to: Uint32Array,
  start: number,
  width: number,
): void {
  const middle = Math.min(start + width, from.length)
  const end = Math.min(start + 2 * width, from.length)
  let [a, b] = [start, middle]
  for (let n = start; n < end; n++) {
    const takesFirst = b === end || (a < middle && compare(items, from[a], from[b]) <= 0)
    to[n] = from[takesFirst ? a++ : b++] as number
  }
}

const compare = (items: PackedItems, a = 0, b = 0): number => Buffer.compare(items.at(a), items.at(b))
