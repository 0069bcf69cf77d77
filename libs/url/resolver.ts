/**
 * Resolves the links of one page. The results equal those of `normalForm(href, pageUrl)`, but plain paths are joined
 * without parsing, and known links of this or another page are only looked up.
 */
import { isUnreserved, normalEscapes } from './escapes.ts'
import { createLinkCache, type LinkCache, LinksOfBase } from './link-cache.ts'
import { maxUrlLength, normalForm, normalOrigin } from './normal-form.ts'
import { plainEnd } from './plain-path.ts'

/** Returns the normal form of a link as written in the page, or null if it cannot be fetched. */
export type Resolve = (href: string) => string | null

/** At most about 5 MB, shared by all pages of the process. */
const shared = createLinkCache(8192)

const hash = 0x23
const slash = 0x2f

/**
 * Returns the resolver of the page at `pageUrl`. All pages may share a cache, also pages of different hosts. Its
 * results keep no part of the page in memory.
 */
export function createResolver(pageUrl: string, cache: LinkCache = shared): Resolve {
  const page = URL.parse(pageUrl)
  const origin = page === null ? null : normalOrigin(page)
  return page === null || origin === null
    ? href => normalForm(href, pageUrl)
    : resolverOf(page, origin, cache)
}

function resolverOf(page: URL, origin: string, cache: LinkCache): Resolve {
  const folder = page.pathname.slice(0, page.pathname.lastIndexOf('/') + 1)
  const prefix = origin + normalEscapes(folder)
  const self = normalForm('', page)
  const ofOrigin = new LinksOfBase(cache, page.origin)
  const ofFolder = new LinksOfBase(cache, page.origin + folder)

  return href => {
    if (href.length > maxUrlLength) return null
    const first = href.charCodeAt(0)
    if (href === '' || first === hash) return self

    const fromOrigin = first === slash || namesHost(href)
    if (!fromOrigin && (!isUnreserved(first) || maySpellScheme(href))) return normalForm(href, page)

    const links = fromOrigin ? ofOrigin : ofFolder
    const known = links.recall(href)
    if (known !== undefined) return known
    const start = fromOrigin ? pathStart(href, origin) : 0
    return links.keep(href, join(fromOrigin ? origin : prefix, href, start) ?? normalForm(href, page))
  }
}

/** Returns the prefix with the plain path of the link, or null if the link needs the parser. */
function join(prefix: string, href: string, start: number): string | null {
  const end = start === -1 ? -1 : plainEnd(href, start)
  const normal = end === -1 ? null : prefix + href.slice(start, end)
  return normal === null || normal.length > maxUrlLength ? null : normal
}

/** Returns the start of the path of a link that names no other host than `origin`, or -1 if it may name one. */
function pathStart(href: string, origin: string): number {
  if (href.charCodeAt(0) === slash) return href.charCodeAt(1) === slash ? -1 : 0
  return href.startsWith(origin) && href.charCodeAt(origin.length) === slash ? origin.length : -1
}

const namesHost = (href: string): boolean => href.startsWith('http://') || href.startsWith('https://')

/**
 * Returns whether a link may start with a scheme. `http:x` is relative to the whole page, not to its folder, if the
 * page has the same scheme.
 */
const maySpellScheme = (href: string): boolean => (href.charCodeAt(0) | 0x20) === 0x68 && href.includes(':')
