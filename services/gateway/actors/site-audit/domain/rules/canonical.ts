/** Rules for canonical URLs that lead to another URL of the run. */
import type { Site } from '../site.ts'
import {
  type AddFinding,
  eachPage,
  google,
  isBroken,
  isLoop,
  lacksUrls,
  otherAt,
  type SiteRule,
} from './rule.ts'

const troubleshooting = google(
  'canonicalization troubleshooting',
  'crawling-indexing/canonicalization-troubleshooting',
)
const canonicals = google('canonical URLs', 'crawling-indexing/consolidate-duplicate-urls')

/** Calls back for each page whose canonical is another URL that the run knows. */
function eachCanonical(site: Site, see: (page: number, target: number) => void): undefined {
  for (const page of eachPage(site)) {
    const target = targetOf(site, page)
    if (target !== -1 && site.pages.isRead(page)) see(page, target)
  }
}

/** The position of the canonical URL; -1 if it is the page itself, unknown or missing. */
function targetOf({ pages, positions }: Site, page: number): number {
  const canonical = pages.column('canonical')[page] as number
  const target = canonical === 0 ? undefined : positions.get(canonical)
  return target === undefined || target === page ? -1 : target
}

/** Finds the pages whose canonical is a URL for which the condition is true. */
const findWhere =
  (holds: (site: Site, target: number) => boolean) =>
  (site: Site, add: AddFinding): undefined =>
    eachCanonical(site, (page, target) => {
      if (holds(site, target)) add(page, null, [target])
    })

/** Whether the URL, or the end of its redirects, is broken, or its redirects form a loop. */
const isDead = (site: Site, position: number): boolean => isBroken(site, position) || isLoop(site, position)

/** Returns the canonicals that follow a page, up to the first repetition, and whether they lead back to the page. */
function chainOf(site: Site, page: number): { chain: number[]; isClosed: boolean } {
  const chain: number[] = []
  const known = new Set([page])
  for (let at = targetOf(site, page); at !== -1 && at < site.pages.length; at = targetOf(site, at)) {
    if (known.has(at)) return { chain, isClosed: at === page }
    known.add(at)
    chain.push(at)
    if (chain.length === maxChain) break
  }
  return { chain, isClosed: false }
}

/** Longer chains are not followed to their end. */
const maxChain = 10

export const canonicalRules: readonly SiteRule[] = [
  {
    id: 'site/canonical-broken',
    severity: 'error',
    finds:
      'A canonical URL that responds with an error (4xx, 5xx), redirects in a loop, or does not respond, also behind a redirect',
    reason: 'Search engines ignore it, and may drop both pages.',
    message: 'The canonical URL is broken.',
    remedy: 'Declare a URL that responds with 200.',
    source: canonicals,
    isPartial: lacksUrls,
    find: findWhere(isDead),
  },
  {
    id: 'site/canonical-loop',
    severity: 'error',
    finds: 'Pages whose canonical URLs form a loop',
    reason: 'Search engines ignore all canonical URLs of the loop.',
    message: {
      one: 'The canonical URL leads back to this page.',
      many: 'The canonical URL forms a loop with {n} other pages.',
    },
    remedy: 'Declare one of the pages as the canonical URL of all, and of itself.',
    source: troubleshooting,
    find: (site, add) =>
      eachCanonical(site, page => {
        const { chain, isClosed } = chainOf(site, page)
        if (isClosed) add(page, chain.length, chain)
      }),
  },
  {
    id: 'site/canonical-chain',
    severity: 'warning',
    finds: 'A canonical URL whose page declares another canonical URL',
    reason: 'Search engines may stop at any page of the chain, or ignore it.',
    message: {
      one: 'The canonical URL is part of a chain.',
      many: 'The canonical URL starts a chain of {n} pages.',
    },
    remedy: 'Declare the last URL of the chain.',
    source: troubleshooting,
    find: (site, add) =>
      eachCanonical(site, page => {
        const { chain, isClosed } = chainOf(site, page)
        if (chain.length > 1 && !isClosed) add(page, chain.length, chain)
      }),
  },
  {
    id: 'site/canonical-redirect',
    severity: 'warning',
    finds: 'A canonical URL that redirects',
    reason: 'Search engines have to choose between the URL and the target of its redirect.',
    message: 'The canonical URL redirects.',
    remedy: 'Declare the target of the redirect.',
    source: troubleshooting,
    isPartial: lacksUrls,
    find: findWhere((site, target) => otherAt(site, target)?.kind === 'redirect' && !isDead(site, target)),
  },
  {
    id: 'site/canonical-noindex',
    severity: 'error',
    finds: 'A canonical URL whose page has noindex',
    reason: 'Search engines may drop both pages.',
    message: 'The page of the canonical URL has noindex.',
    remedy: 'Remove noindex there, or declare another URL.',
    source: troubleshooting,
    find: findWhere(({ pages }, target) => pages.indexed[target] === 0 && pages.isRead(target)),
  },
  {
    id: 'site/canonical-blocked',
    severity: 'error',
    finds: 'A canonical URL that robots.txt disallows for the crawler',
    reason: 'Search engines cannot read it and so cannot merge the pages.',
    message: 'robots.txt disallows the canonical URL.',
    remedy: 'Allow it in robots.txt.',
    source: troubleshooting,
    isPartial: lacksUrls,
    find: findWhere((site, target) => otherAt(site, target)?.kind === 'blocked'),
  },
]
