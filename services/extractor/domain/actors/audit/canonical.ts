/** Rules of the canonical address: under which one of several a page is to be known. */
import { attribute, hasWord } from '@tidemark/html/tree/attribute'
import { normalForm } from '@tidemark/url/normal-form'
import type { AuditedPage } from './audited-page.ts'
import { among, type Rule, when } from './rule.ts'
import { google } from './sources.ts'

const consolidate = google('canonical URLs', 'crawling-indexing/consolidate-duplicate-urls')
const fewestParameters = 1

type Stated = {
  /** As it stands. */
  href: string
  /** Its normal form, null where it is no address of the web. */
  target: string | null
  isInHead: boolean
}

export const canonicalRules: readonly Rule[] = [
  {
    id: 'canonical/missing',
    on: 'indexed',
    severity: 'info',
    finds: 'An address with a query, and no canonical',
    reason: 'The same page under several queries may be taken for several pages.',
    source: consolidate,
    find: page =>
      when(
        statedBy(page).length === 0 && page.url.searchParams.size >= fewestParameters,
        () =>
          `The address has a query (${page.url.search.slice(0, 80)}), and no canonical says which address is meant.`,
      ),
  },
  {
    id: 'canonical/mismatch',
    on: 'pages',
    severity: 'warning',
    finds: 'A canonical that names another address than the page was found under',
    reason: 'The page asks that the other address be shown in its place.',
    source: consolidate,
    find: page => {
      const target = effectiveOf(page)
      const isOther = target !== null && target !== selfOf(page) && !isDowngrade(page, target)
      return isOther
        ? {
            message:
              'The canonical names another address than this page. Where that is not meant, name this address.',
            samples: [target],
          }
        : null
    },
  },
  {
    id: 'canonical/insecure',
    on: 'pages',
    severity: 'warning',
    finds: 'A page found under https whose canonical is the same address under http',
    reason: 'It asks search engines to show the address without encryption.',
    source: consolidate,
    find: page => {
      const target = effectiveOf(page)
      return target !== null && isDowngrade(page, target)
        ? { message: 'The canonical names this page under http. Name the https address.', samples: [target] }
        : null
    },
  },
  {
    id: 'canonical/multiple',
    on: 'pages',
    severity: 'error',
    finds: 'Several canonicals that name different addresses',
    reason: 'Search engines then heed none of them.',
    source: google(
      'common mistakes with rel=canonical',
      'crawling-indexing/canonicalization-troubleshooting',
    ),
    find: page => {
      const targets = [...new Set(statedBy(page).map(({ target, href }) => target ?? href))]
      return targets.length < 2
        ? null
        : among(
            targets,
            n => `${n} different canonicals are stated. Keep one.`,
            target => target,
          )
    },
  },
  {
    id: 'canonical/invalid',
    on: 'pages',
    severity: 'error',
    finds: 'A canonical that is empty or no address of http or https',
    reason: 'It is ignored.',
    source: consolidate,
    find: page =>
      among(
        statedBy(page).filter(({ target }) => target === null),
        () => 'The canonical is no address of a page. State the whole address, from https:// on.',
        ({ href }) => href || '(empty)',
      ),
  },
  {
    id: 'canonical/relative',
    on: 'pages',
    severity: 'info',
    finds: 'A canonical without scheme and host',
    reason: 'Relative ones are heeded, but break unnoticed, for example when a test host is indexed.',
    source: consolidate,
    find: page =>
      among(
        statedBy(page).filter(({ href, target }) => target !== null && !/^https?:\/\//i.test(href)),
        () => 'The canonical is relative. State the whole address.',
        ({ href }) => href,
      ),
  },
  {
    id: 'canonical/fragment',
    on: 'pages',
    severity: 'warning',
    finds: 'A canonical with a fragment (`#…`)',
    reason: 'Search engines know no fragments, and may ignore the canonical.',
    source: consolidate,
    find: page =>
      among(
        statedBy(page).filter(({ href }) => href.includes('#')),
        () => 'The canonical has a fragment. Name the address without it.',
        ({ href }) => href,
      ),
  },
  {
    id: 'canonical/in-body',
    on: 'pages',
    severity: 'error',
    finds: 'A canonical after the content has begun, and none before',
    reason: 'In the body it is ignored, as anybody may write content.',
    source: consolidate,
    find: page => {
      const stated = statedBy(page)
      if (stated.some(({ isInHead }) => isInHead)) return null
      return among(
        stated,
        () => 'The canonical stands in the body, where it is ignored. Move it into the head.',
        ({ href }) => href,
      )
    },
  },
  {
    id: 'canonical/on-noindexed',
    on: 'pages',
    severity: 'warning',
    finds: 'A page with noindex whose canonical names another address',
    reason: 'One says that the page be forgotten, the other that it be joined with another.',
    source: google('canonicalization troubleshooting', 'crawling-indexing/canonicalization-troubleshooting'),
    find: page => {
      const target = effectiveOf(page)
      const isBoth = !page.isIndexed && target !== null && target !== selfOf(page)
      return isBoth
        ? {
            message: 'The page says noindex and names another canonical. Decide for one of them.',
            samples: [target],
          }
        : null
    },
  },
]

/** What canonicals are found in. */
type Stating = Pick<AuditedPage, 'index' | 'base'> & { page: Pick<AuditedPage['page'], 'url' | 'headers'> }

/** All canonicals, by link elements and by the header. */
function statedBy({ index, page, base }: Stating): Stated[] {
  const links = index.of('link').filter(({ element }) => hasWord(element, 'rel', 'canonical'))
  const inPage = links.map(({ element, isInHead }) => {
    const href = (attribute(element, 'href') ?? '').trim()
    return { href, target: href === '' ? null : normalForm(href, base), isInHead }
  })
  return [...inPage, ...inHeader(page.headers.link ?? '', page.url)]
}

/** RFC 8288, 3: `<address>; rel="canonical"`. */
function inHeader(field: string, url: string): Stated[] {
  const found: Stated[] = []
  for (const [, href = '', parameters = ''] of field.slice(0, 8192).matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (!/;\s*rel\s*=\s*"?[^";]*\bcanonical\b/i.test(parameters)) continue
    found.push({ href, target: normalForm(href, url), isInHead: true })
  }
  return found
}

/** What the page asks for, where it asks for one thing. */
export const effectiveOf = (page: Stating): string | null => effectiveAmong(statedBy(page))

/** The same by the header `Link` alone, which is all that can speak for what is no HTML. */
export const effectiveInHeader = (field: string, url: string): string | null =>
  effectiveAmong(inHeader(field, url))

function effectiveAmong(stated: readonly Stated[]): string | null {
  const targets = new Set(stated.flatMap(({ target, isInHead }) => (isInHead && target ? [target] : [])))
  const [only = null] = targets
  return targets.size === 1 ? only : null
}

export const selfOf = ({ page }: Pick<AuditedPage, 'page'>): string => normalForm(page.url) ?? page.url

const isDowngrade = (page: AuditedPage, target: string): boolean =>
  page.url.protocol === 'https:' && target === selfOf(page).replace('https:', 'http:')
