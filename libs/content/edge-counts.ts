/**
 * How many links lead to which site, in a few bytes in front of a page's edges: a list of links can then be
 * entered anywhere without reading what stands before. Sites that do not fit are left out, the rarest first.
 */

/** Bytes of a blob in which its counts stand. */
export const headBytes = 512

const lengthBytes = 2
const versionBytes = 1
const maxBytes = headBytes - lengthBytes - versionBytes

/** Says that sites were left out. */
const more = '*\n'

/** Two bytes of length, then lines of a number, a space and a site. @param hrefs normal forms */
export function countsOf(hrefs: Iterable<string>): Buffer {
  const counts = new Map<string, number>()
  for (const href of hrefs) {
    const site = siteOf(href)
    counts.set(site, (counts.get(site) ?? 0) + 1)
  }
  const lines = [...counts].sort(([, a], [, b]) => b - a).map(([site, count]) => `${count} ${site}\n`)
  const text = Buffer.from(fitting(lines))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt16BE(text.byteLength)
  return Buffer.concat([length, text])
}

/** Bytes that the counts at the start of `from` take. */
export const sizeOfCounts = (from: Buffer): number => lengthBytes + from.readUInt16BE(0)

/** Links to the site of `url`; null when the counts do not say. */
export function countIn(from: Buffer, url: string): number | null {
  const text = from.toString('utf8', lengthBytes, sizeOfCounts(from))
  const site = siteOf(url)
  const line = text.split('\n').find(line => line.slice(line.indexOf(' ') + 1) === site)
  if (line !== undefined) return Number.parseInt(line, 10)
  return text.endsWith(more) ? null : 0
}

/** The host of a normal form, whatever the scheme, with its port when it is explicit. */
export function siteOf(url: string): string {
  const start = url.indexOf('//') + 2
  return url.slice(start, url.indexOf('/', start))
}

function fitting(lines: string[]): string {
  const all = lines.join('')
  if (Buffer.byteLength(all) <= maxBytes) return all
  let text = ''
  for (const line of lines) {
    if (Buffer.byteLength(text + line) + more.length > maxBytes) break
    text += line
  }
  return text + more
}
