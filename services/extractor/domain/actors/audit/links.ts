/** Rules of links: whether they lead somewhere, for people and for crawlers, and whether they say where. */
import { attribute } from '@tidemark/html/tree/attribute'
import { inScope, scopeOf } from '@tidemark/url/scope'
import type { AuditedPage } from './audited-page.ts'
import { isGeneric } from './generic-link-texts.ts'
import { tagOf } from './headings.ts'
import { isOwnMachine } from './own-machine.ts'
import type { Entry } from './page-index.ts'
import { among, type Rule, when } from './rule.ts'
import { google, html, lighthouse, wcag } from './sources.ts'

const crawlable = google('crawlable links', 'crawling-indexing/links-crawlable')
/** "A few thousand at most". */
const mostLinks = 3000
const longestGeneric = 40

export const linkRules: readonly Rule[] = [
  {
    id: 'links/empty-anchor',
    on: 'pages',
    severity: 'warning',
    finds: 'An `<a href>` without text, image with alternative text, label or title',
    reason: 'Nobody is told where it leads: neither who hears the page nor a search engine.',
    source: wcag('2.4.4 Link Purpose (failure F89)', 'link-purpose-in-context'),
    find: page =>
      among(
        linksOf(page).filter(entry => !entry.isNamed && !entry.isHidden && isReached(entry)),
        n =>
          `${n === 1 ? 'A link has' : `${n} links have`} no text. Say where they lead, by text, alt or aria-label.`,
        ({ element }) => hrefOf(element),
      ),
  },
  {
    id: 'links/generic-text',
    on: 'pages',
    severity: 'info',
    finds: 'A link whose text is but "click here", "read more" or the like, in several languages',
    reason: 'Such a text tells neither people nor search engines what it leads to.',
    source: lighthouse('links have descriptive text', 'seo/link-text'),
    find: page =>
      among(
        linksOf(page).filter(entry => isGenericLink(page, entry)),
        n =>
          `${n === 1 ? 'A link says' : `${n} links say`} nothing of their target. Name in the text what they lead to.`,
        entry => `${page.index.text(entry)}: ${hrefOf(entry.element)}`,
      ),
  },
  {
    id: 'links/malformed',
    on: 'pages',
    severity: 'error',
    finds: 'A link whose address cannot be read, or with a misspelled scheme such as `htp://` or `http//`',
    reason: 'It leads nowhere.',
    source: html('links', 'links.html#links-created-by-a-and-area-elements'),
    find: page =>
      among(
        linksOf(page).filter(({ element }) => isMalformed(hrefOf(element), page.base)),
        n =>
          `${n === 1 ? 'A link has' : `${n} links have`} an address that leads nowhere. Mend its spelling.`,
        ({ element }) => hrefOf(element),
      ),
  },
  {
    id: 'links/javascript',
    on: 'pages',
    severity: 'warning',
    finds: 'A link with `javascript:` as its address',
    reason: 'Crawlers do not follow it, and without scripts it does nothing.',
    source: crawlable,
    find: page =>
      among(
        linksOf(page).filter(({ element }) => /^\s*javascript:/i.test(hrefOf(element))),
        n =>
          `${n === 1 ? 'A link is' : `${n} links are`} a script. Use the address as href, or a button where nothing is linked.`,
        entry => page.index.text(entry) || hrefOf(entry.element),
      ),
  },
  {
    id: 'links/own-machine',
    on: 'pages',
    severity: 'warning',
    finds:
      'A link of a public page to localhost, a private address or a file, unless its text is the address',
    reason: 'It works on the machine of who wrote it, and nowhere else.',
    source: crawlable,
    find: page =>
      isOwnMachine(page.url)
        ? null
        : among(
            linksOf(page).filter(entry => leadsHome(hrefOf(entry.element)) && !isQuoted(page, entry)),
            n =>
              `${n === 1 ? 'A link leads' : `${n} links lead`} to a machine that visitors do not have. Link to the public address.`,
            ({ element }) => hrefOf(element),
          ),
  },
  {
    id: 'links/internal-insecure',
    on: 'pages',
    severity: 'warning',
    finds: 'A link from a page under https to the same host under http',
    reason: 'Each such visit begins without encryption and costs a redirect.',
    source: google('secure sites with HTTPS', 'advanced/security/https'),
    find: page =>
      among(
        page.url.protocol === 'https:'
          ? page.facts.links.filter(({ href }) => href.startsWith(`http://${page.url.hostname}/`))
          : [],
        n => `${n === 1 ? 'A link leads' : `${n} links lead`} to this site under http. Link to https.`,
        ({ href }) => href,
      ),
  },
  {
    id: 'links/internal-nofollow',
    on: 'pages',
    severity: 'info',
    finds: 'A link with rel=nofollow to the same host',
    reason: "It asks search engines not to go on to pages that are the site's own.",
    source: google('qualify outbound links', 'crawling-indexing/qualify-outbound-links'),
    find: page => {
      const site = scopeOf(page.page.url, false)
      return among(
        page.facts.links.filter(({ href, nofollow }) => nofollow && inScope(site, href)),
        n =>
          `${n === 1 ? 'A link' : `${n} links`} to this site ${n === 1 ? 'is' : 'are'} marked nofollow. Keep that for pages that are not to be found.`,
        ({ href }) => href,
      )
    },
  },
  {
    id: 'links/internal-tracking',
    on: 'pages',
    severity: 'info',
    finds: 'A link to the same host with `utm_` parameters',
    reason: 'It ends the visit in most analytics and begins another, and makes a second address of the page.',
    source: google('URL structure', 'crawling-indexing/url-structure'),
    find: page =>
      among(
        linksOf(page).filter(({ element }) => isTrackedWithin(hrefOf(element), page)),
        n =>
          `${n === 1 ? 'A link' : `${n} links`} within the site ${n === 1 ? 'has' : 'have'} campaign parameters. Take them away.`,
        ({ element }) => hrefOf(element),
      ),
  },
  {
    id: 'links/fragment-missing',
    on: 'pages',
    severity: 'info',
    finds: 'A link to a place in the page (`#…`) that the HTML as served does not have',
    reason: 'Unless a script makes the place, nothing happens.',
    source: html('navigating to a fragment', 'browsing-the-web.html#scrolling-to-a-fragment'),
    find: page =>
      among(
        page.isCut || page.isShell
          ? []
          : linksOf(page).filter(({ element }) => isLost(hrefOf(element), page)),
        n =>
          `${n === 1 ? 'A link leads' : `${n} links lead`} to a place that is not in the page. Mend the id or the link.`,
        ({ element }) => hrefOf(element),
      ),
  },
  {
    id: 'links/too-many',
    on: 'pages',
    severity: 'info',
    finds: `More than ${mostLinks} links`,
    reason: 'Nobody reads so many; and each counts the less.',
    source: crawlable,
    find: ({ facts: { links } }) =>
      when(
        links.length > mostLinks,
        () => `The page has ${links.length} links. Divide it, or link to what matters.`,
      ),
  },
  {
    id: 'links/none',
    on: 'indexed',
    severity: 'warning',
    finds: 'No link to another page of the site',
    reason: 'The page is a dead end: neither people nor crawlers get on from it.',
    source: crawlable,
    find: page => {
      const site = scopeOf(page.page.url, true)
      const isDead = !page.isShell && !page.isCut && !page.facts.links.some(({ href }) => inScope(site, href))
      return when(
        isDead,
        () => 'No link leads to another page of the site. Link at least to where it belongs.',
      )
    },
  },
]

const linksOf = ({ index }: AuditedPage): Entry[] =>
  index.of('a').filter(({ element }) => attribute(element, 'href') !== null)

const hrefOf = (element: Entry['element']): string => attribute(element, 'href') ?? tagOf(element)

const isReached = ({ element }: Entry): boolean => attribute(element, 'tabindex') !== '-1'

function isGenericLink({ index }: AuditedPage, entry: Entry): boolean {
  const { element, start, end } = entry
  const isLabelled =
    attribute(element, 'aria-label') !== null || attribute(element, 'aria-labelledby') !== null
  if (isLabelled || end - start > longestGeneric || entry.isHidden) return false
  return !hrefOf(element).startsWith('#') && isGeneric(index.text(entry))
}

const misspelled = /^(?:htt?ps?|h?ttt?ps?|hhttps?|httpps?|hptt?s?|hppts?)(?::|\/\/)/i
const ofWeb = /^https?(:?)(\/*)(https?:?\/\/)?/i

/** What a browser takes for a path, or for no address at all. */
function isMalformed(stated: string, base: string): boolean {
  const href = stated.trim()
  const [whole, colon, slashes = '', again] = ofWeb.exec(href) ?? []
  if (whole !== undefined && (colon === ':' ? slashes.length < 2 : slashes.length > 1)) return true
  if (again !== undefined || /^www\.[\w-]+\.[\w.-]+/i.test(href)) return true
  return (whole === undefined && misspelled.test(href)) || URL.parse(href, base) === null
}

function leadsHome(href: string): boolean {
  if (/^\s*file:/i.test(href)) return true
  const url = /^\s*https?:\/\//i.test(href) ? URL.parse(href) : null
  return url !== null && isOwnMachine(url)
}

/** Whoever writes the address out means it. */
const isQuoted = ({ index }: AuditedPage, entry: Entry): boolean =>
  hrefOf(entry.element).includes(index.text(entry).replace(/^https?:\/\//, '') || '\0')

function isTrackedWithin(href: string, { url, base }: AuditedPage): boolean {
  if (!href.includes('utm_')) return false
  const target = URL.parse(href, base)
  return target !== null && target.host === url.host && /[?&]utm_/.test(target.search)
}

/** The top of a page is always there, and what is no name of a place is a script's. */
function isLost(href: string, { index: { places } }: AuditedPage): boolean {
  if (!href.startsWith('#') || /^#(?:$|top$|[!/]|:~:)/i.test(href) || /[=&/?]/.test(href)) return false
  const [stated = ''] = href.slice(1).split(':~:')
  const name = decoded(stated)
  return !places.has(stated) && !places.has(name)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
