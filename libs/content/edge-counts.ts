/**
 * Encodes, before a page's links, how many of them lead to each site. A run's list has only links within its scope, so a
 * reader at an offset skips pages by these counts without decoding them. If not all sites fit, the rarest are left out,
 * and a page without its count is decoded.
 */

/** The counts are within this number of bytes at the start of a blob. */
export const headBytes = 512

const lengthBytes = 2
const versionBytes = 1
const maxBytes = headBytes - lengthBytes - versionBytes

/** The last line if sites were left out. */
const more = '*\n'

/**
 * Returns two bytes of length, then lines of a number, a space and a site.
 * @param hrefs Normal forms.
 */
export function countsOf(hrefs: Iterable<string>): Buffer {
  const counts = new Map<string, number>()
  let origin = '\0' // successive links usually have the same origin, thus the same site
  let site = ''
  for (const href of hrefs) {
    if (!href.startsWith(origin)) {
      site = siteOf(href)
      origin = href.slice(0, href.indexOf('//') + 2 + site.length + 1)
    }
    counts.set(site, (counts.get(site) ?? 0) + 1)
  }
  const lines = [...counts].sort(([, a], [, b]) => b - a).map(([site, count]) => `${count} ${site}\n`)
  const text = Buffer.from(fitting(lines))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt16BE(text.byteLength)
  return Buffer.concat([length, text])
}

/** Returns the number of bytes of the counts at the start of `from`. */
export const sizeOfCounts = (from: Buffer): number => lengthBytes + from.readUInt16BE(0)

/** Returns the number of links to hosts of the extent, or null if counts of it may have been left out. */
export function countIn(from: Buffer, extent: Extent): number | null {
  const text = from.toString('utf8', lengthBytes, sizeOfCounts(from))
  const lines = text.split('\n').filter(line => isOf(extent, line.slice(line.indexOf(' ') + 1)))
  if (text.endsWith(more) && (extent.subdomains || lines.length === 0)) return null
  return lines.reduce((sum, line) => sum + Number.parseInt(line, 10), 0)
}

/** The hosts between which links are internal. `host` has its port if that is explicit, as `siteOf` returns it. */
export type Extent = { host: string; subdomains: boolean }

/** Returns whether the extent includes a host as `siteOf` returns it. */
export const isOf = ({ host, subdomains }: Extent, site: string): boolean =>
  site === host || (subdomains && site.endsWith(`.${host}`))

/** Returns the host of a normal form, with its port if that is explicit, without the scheme. */
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
