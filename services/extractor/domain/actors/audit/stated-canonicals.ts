/** The canonical URLs that a page states, and the canonical URL that search engines use. */
import { attribute, hasWord } from '@tidemark/html/tree/attribute'
import { normalForm } from '@tidemark/url/normal-form'
import type { AuditedPage } from './audited-page.ts'

type Stated = {
  /** As written. */
  href: string
  /** Its normal form, or null if it is not a valid http(s) URL. */
  target: string | null
  isInHead: boolean
  /** The attributes because of which search engines ignore it, as written. */
  ignoredFor: string[]
}

/** The parts of a page that state its canonical URLs. */
type Stating = Pick<AuditedPage, 'index' | 'base'> & { page: Pick<AuditedPage['page'], 'url' | 'headers'> }

/**
 * Attributes that declare a link to a version of the page, for a language, a device or a type. Search engines ignore
 * such canonical URLs. An empty attribute declares no version.
 */
const ofVersions: readonly string[] = ['hreflang', 'lang', 'media', 'type']

/** Returns all canonical URLs, from link elements and from the header. */
export function statedBy({ index, page, base }: Stating): Stated[] {
  const links = index.of('link').filter(({ element }) => hasWord(element, 'rel', 'canonical'))
  const inPage = links.map(({ element, isInHead }) => {
    const href = (attribute(element, 'href') ?? '').trim()
    const ignoredFor = ignoredAmong(ofVersions.map(name => [name, attribute(element, name) ?? '']))
    return { href, target: href === '' ? null : normalForm(href, base), isInHead, ignoredFor }
  })
  return [...inPage, ...inHeader(page.headers.link ?? '', page.url)]
}

/** Returns the canonical URLs without attributes that search engines ignore. */
export const usableBy = (page: Stating): Stated[] => statedBy(page).filter(isUsable)

const isUsable = ({ ignoredFor }: Stated): boolean => ignoredFor.length === 0

/**
 * Patterns of a link and of a parameter in the header (RFC 8288, 3): `<address>; rel="canonical"`. Values may be in
 * single quotes too, as browsers read them.
 */
const value = /"(?:[^"\\]|\\.)*"|'[^',;]*'|[^\s,;]*/.source
const parameter = `\\s*;\\s*(?:([^\\s=;,"<>]+)(?:\\s*=\\s*(${value}))?)?`
const linkPattern = new RegExp(`<([^<>]*)>((?:${parameter})*)`, 'g')
const parameterPattern = new RegExp(parameter, 'g')

function inHeader(field: string, url: string): Stated[] {
  const found: Stated[] = []
  for (const [, href = '', parameters = ''] of field.slice(0, 8192).matchAll(linkPattern)) {
    const named = parametersIn(parameters)
    // Only the first `rel` counts.
    const [, relations = ''] = named.find(([name]) => name === 'rel') ?? []
    if (/(?:^|\s)canonical(?:\s|$)/i.test(relations))
      found.push({ href, target: normalForm(href, url), isInHead: true, ignoredFor: ignoredAmong(named) })
  }
  return found
}

type Named = readonly (readonly [name: string, value: string])[]

/** Returns the parameters, names in lower case, values without quotes. */
const parametersIn = (text: string): Named =>
  [...text.matchAll(parameterPattern)].map(([, name = '', value = '']) => [
    name.toLowerCase(),
    unquoted(value),
  ])

const unquoted = (value: string): string =>
  /^(["']).*\1$/s.test(value) && value.length > 1 ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value

const ignoredAmong = (attributes: Named): string[] =>
  attributes.flatMap(([name, value]) =>
    ofVersions.includes(name) && value.trim() !== '' ? [`${name}="${value.trim()}"`] : [],
  )

/** Returns the canonical URL if the page states exactly one valid URL. */
export const effectiveOf = (page: Stating): string | null => effectiveAmong(usableBy(page))

/** Returns the canonical URL if it is another page's. */
export function otherCanonicalOf(page: Stating): string | null {
  const target = effectiveOf(page)
  return target === selfOf(page) ? null : target
}

/** Returns the canonical URL of the `Link` header alone. Only the header can state it for content other than HTML. */
export const effectiveInHeader = (field: string, url: string): string | null =>
  effectiveAmong(inHeader(field, url).filter(isUsable))

function effectiveAmong(stated: readonly Stated[]): string | null {
  const targets = new Set(stated.flatMap(({ target, isInHead }) => (isInHead && target ? [target] : [])))
  const [only = null] = targets
  return targets.size === 1 ? only : null
}

/** Returns the normal form of the page's own URL. */
export const selfOf = ({ page }: Pick<Stating, 'page'>): string => normalForm(page.url) ?? page.url
