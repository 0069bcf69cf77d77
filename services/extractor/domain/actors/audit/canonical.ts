/** Rules for the canonical URL of a page. */
import { attribute, hasWord } from '@tidemark/html/tree/attribute'
import { normalForm } from '@tidemark/url/normal-form'
import type { AuditedPage } from './audited-page.ts'
import { among, type Rule, when } from './rule.ts'
import { google } from './sources.ts'

const consolidate = google('canonical URLs', 'crawling-indexing/consolidate-duplicate-urls')
const minParameters = 1

type Stated = {
  /** As written. */
  href: string
  /** Its normal form, or null if it is not a valid http(s) URL. */
  target: string | null
  isInHead: boolean
}

export const canonicalRules: readonly Rule[] = [
  {
    id: 'canonical/missing',
    on: 'indexed',
    severity: 'info',
    finds: 'A URL with a query, and no canonical URL',
    reason: 'Search engines may index the same page under several queries.',
    source: consolidate,
    find: page =>
      when(
        statedBy(page).length === 0 && page.url.searchParams.size >= minParameters,
        () => `The URL has a query (${page.url.search.slice(0, 80)}) but no canonical URL. Add one.`,
      ),
  },
  {
    id: 'canonical/mismatch',
    on: 'pages',
    severity: 'warning',
    finds: "A canonical URL that differs from the page's URL",
    reason: 'Search engines show the canonical URL instead of this one.',
    source: consolidate,
    find: page => {
      const target = effectiveOf(page)
      const isOther = target !== null && target !== selfOf(page) && !isDowngrade(page, target)
      return isOther
        ? {
            message:
              "The canonical URL differs from this page's URL. If this is not intended, use this page's URL.",
            samples: [target],
          }
        : null
    },
  },
  {
    id: 'canonical/insecure',
    on: 'pages',
    severity: 'warning',
    finds: 'An https page whose canonical is the same URL with http',
    reason: 'Search engines are directed to the unencrypted URL.',
    source: consolidate,
    find: page => {
      const target = effectiveOf(page)
      return target !== null && isDowngrade(page, target)
        ? { message: 'The canonical URL of this page uses http. Use https.', samples: [target] }
        : null
    },
  },
  {
    id: 'canonical/multiple',
    on: 'pages',
    severity: 'error',
    finds: 'Several different canonical URLs',
    reason: 'Search engines then ignore all of them.',
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
            { many: 'The page has {n} different canonical URLs.', remedy: 'Keep one.' },
            target => target,
          )
    },
  },
  {
    id: 'canonical/invalid',
    on: 'pages',
    severity: 'error',
    finds: 'A canonical URL that is empty or not a valid http(s) URL',
    reason: 'Search engines ignore it.',
    source: consolidate,
    find: page =>
      among(
        statedBy(page).filter(({ target }) => target === null),
        {
          many: 'The canonical URL is not a valid http(s) URL.',
          remedy: 'Use an absolute https URL.',
        },
        ({ href }) => href || '(empty)',
      ),
  },
  {
    id: 'canonical/relative',
    on: 'pages',
    severity: 'info',
    finds: 'A canonical URL without scheme and host',
    reason:
      'Search engines resolve relative canonical URLs, but they break unnoticed, for example when a test host is indexed.',
    source: consolidate,
    find: page =>
      among(
        statedBy(page).filter(({ href, target }) => target !== null && !/^https?:\/\//i.test(href)),
        { many: 'The canonical URL is relative.', remedy: 'Use an absolute URL.' },
        ({ href }) => href,
      ),
  },
  {
    id: 'canonical/fragment',
    on: 'pages',
    severity: 'warning',
    finds: 'A canonical URL with a fragment (`#…`)',
    reason: 'Search engines do not index fragments, and may ignore the canonical URL.',
    source: consolidate,
    find: page =>
      among(
        statedBy(page).filter(({ href }) => href.includes('#')),
        { many: 'The canonical URL has a fragment.', remedy: 'Remove the fragment.' },
        ({ href }) => href,
      ),
  },
  {
    id: 'canonical/in-body',
    on: 'pages',
    severity: 'error',
    finds: 'A canonical URL in the body only',
    reason: 'Search engines ignore it there, because users can often write content into the body.',
    source: consolidate,
    find: page => {
      const stated = statedBy(page)
      if (stated.some(({ isInHead }) => isInHead)) return null
      return among(
        stated,
        {
          many: 'The canonical URL is in the body, where search engines ignore it.',
          remedy: 'Move it to the head.',
        },
        ({ href }) => href,
      )
    },
  },
  {
    id: 'canonical/on-noindexed',
    on: 'pages',
    severity: 'warning',
    finds: 'A noindex page whose canonical is another URL',
    reason:
      'The two contradict each other: noindex removes the page, and a canonical URL merges it with another page.',
    source: google('canonicalization troubleshooting', 'crawling-indexing/canonicalization-troubleshooting'),
    find: page => {
      const target = effectiveOf(page)
      const isBoth = !page.isIndexed && target !== null && target !== selfOf(page)
      return isBoth
        ? {
            message: 'The page has noindex and another canonical URL. Keep one of them.',
            samples: [target],
          }
        : null
    },
  },
]

/** Input for finding canonical URLs. */
type Stating = Pick<AuditedPage, 'index' | 'base'> & { page: Pick<AuditedPage['page'], 'url' | 'headers'> }

/** Returns all canonical URLs, from link elements and from the header. */
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

/** Returns the canonical URL if the page states exactly one valid URL. */
export const effectiveOf = (page: Stating): string | null => effectiveAmong(statedBy(page))

/** Returns the canonical URL of the `Link` header alone. Only the header can state it for content other than HTML. */
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
