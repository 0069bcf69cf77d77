/**
 * Encodes how many links of a page lead to each site, for the start of its blob. A run's list has only links within its
 * scope, so a reader at an offset skips pages by these counts without decoding them. If not all sites fit, those of other
 * domains than the page's are left out first, then the rarest. Readers decode a page if the count that they need was left out.
 */

/** The counts are within this number of bytes at the start of a blob. */
export const headBytes = 512

const lengthBytes = 2
const versionBytes = 1
const maxBytes = headBytes - lengthBytes - versionBytes

/** Begins the last line if sites were left out. After it the line has the domain whose sites are all listed, if any. */
const more = '*'

/**
 * Returns two bytes of length, then lines of a number, a space and a site.
 * @param hrefs Normal forms.
 * @param domain The registrable domain of the page, whose sites come first; empty: no domain.
 */
export function countsOf(hrefs: Iterable<string>, domain: string): Buffer {
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
  const text = Buffer.from(fitting(linesOf(counts, domain), domain))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt16BE(text.byteLength)
  return Buffer.concat([length, text])
}

/** Returns the number of bytes of the counts at the start of `from`. */
export const sizeOfCounts = (from: Buffer): number => lengthBytes + from.readUInt16BE(0)

/** Returns the number of links to hosts of the extent, or null if counts of it may have been left out. */
export function linkCountIn(from: Buffer, extent: Extent): number | null {
  const lines = from.toString('utf8', lengthBytes, sizeOfCounts(from)).split('\n').slice(0, -1)
  const last = lines.at(-1)?.startsWith(more) ? (lines.pop() ?? '') : null
  const own = lines.filter(line => isOf(extent, line.slice(line.indexOf(' ') + 1)))
  const isWhole = last === null || isWithin(extent.host, last.slice(more.length))
  if (!isWhole && (extent.subdomains || own.length === 0)) return null
  return own.reduce((sum, line) => sum + Number.parseInt(line, 10), 0)
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

/** Returns whether a site belongs to a domain. No site belongs to an empty one. */
function isWithin(site: string, domain: string): boolean {
  const name = site.replace(/:\d+$/, '')
  return domain !== '' && (name === domain || name.endsWith(`.${domain}`))
}

type Lines = { own: string[]; others: string[] }

/** Returns the lines of the sites of the domain and of the others, both with the most frequent first. */
function linesOf(counts: ReadonlyMap<string, number>, domain: string): Lines {
  const lines: Lines = { own: [], others: [] }
  for (const [site, count] of [...counts].sort(([, a], [, b]) => b - a))
    lines[isWithin(site, domain) ? 'own' : 'others'].push(`${count} ${site}\n`)
  return lines
}

function fitting({ own, others }: Lines, domain: string): string {
  const all = [...own, ...others].join('')
  if (Buffer.byteLength(all) <= maxBytes) return all
  const whole = `${more}${domain}\n`
  const end = Buffer.byteLength(own.join('') + whole) <= maxBytes ? whole : `${more}\n`
  let text = ''
  for (const line of [...own, ...others]) {
    if (Buffer.byteLength(text + line + end) > maxBytes) break
    text += line
  }
  return text + end
}
