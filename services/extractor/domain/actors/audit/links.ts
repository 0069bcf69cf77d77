/** Rules for links: whether people and crawlers can follow them, and whether their texts describe the targets. */
import { attribute } from '@tidemark/html/tree/attribute'
import { inScope, scopeOf, siteScopeOf } from '@tidemark/url/scope'
import type { AuditedPage } from './audited-page.ts'
import { isGeneric } from './generic-link-texts.ts'
import { isMalformed, isPrivate, isTrackedWithin, lacksAnchor } from './link-addresses.ts'
import { isOwnMachine } from './own-machine.ts'
import type { Entry } from './page-index.ts'
import { among, type Rule, when } from './rule.ts'
import { google, html, lighthouse, wcag } from './sources.ts'

const crawlable = google('crawlable links', 'crawling-indexing/links-crawlable')
/** "A few thousand at most". */
const maxLinks = 3000
const maxGenericLength = 40

export const linkRules: readonly Rule[] = [
  {
    id: 'links/empty-anchor',
    severity: 'warning',
    finds: 'An `<a href>` without text, image with alternative text, label or title',
    reason: 'Neither screen readers nor search engines learn the target of the link.',
    source: wcag('2.4.4 Link Purpose (failure F89)', 'link-purpose-in-context'),
    find: page =>
      among(
        linksOf(page).filter(entry => !entry.isNamed && !entry.isHidden && isReached(entry)),
        {
          one: 'A link has no text.',
          many: '{n} links have no text.',
          remedy: 'Describe the target by text, alt or aria-label.',
        },
        ({ element }) => hrefOf(element),
      ),
  },
  {
    id: 'links/generic-text',
    severity: 'info',
    finds: 'A link whose text is only "click here", "read more" or similar, in several languages',
    reason: 'Such a text does not describe the target to people or search engines.',
    source: lighthouse('links have descriptive text', 'seo/link-text'),
    find: page =>
      among(
        linksOf(page).filter(entry => isGenericLink(page, entry)),
        {
          one: 'A link has a text that does not describe its target.',
          many: '{n} links have a text that does not describe their target.',
          remedy: 'Name the target in the text.',
        },
        entry => `${page.index.text(entry)}: ${hrefOf(entry.element)}`,
      ),
  },
  {
    id: 'links/malformed',
    severity: 'error',
    finds: 'A link with an invalid URL, or with a misspelled scheme such as `htp://` or `http//`',
    reason: 'Browsers cannot open it.',
    source: html('links', 'links.html#links-created-by-a-and-area-elements'),
    find: page =>
      among(
        linksOf(page).filter(({ element }) => isMalformed(hrefOf(element), page.base)),
        {
          one: 'A link has an invalid URL.',
          many: '{n} links have an invalid URL.',
          remedy: 'Correct the spelling.',
        },
        ({ element }) => hrefOf(element),
      ),
  },
  {
    id: 'links/javascript',
    severity: 'warning',
    finds: 'A link with a `javascript:` URL',
    reason: 'Crawlers do not follow it, and it does nothing without JavaScript.',
    source: crawlable,
    find: page =>
      among(
        linksOf(page).filter(({ element }) => /^\s*javascript:/i.test(hrefOf(element))),
        {
          one: 'A link runs a script.',
          many: '{n} links run a script.',
          remedy: 'Put the URL into href, or use a button if there is no target.',
        },
        entry => page.index.text(entry) || hrefOf(entry.element),
      ),
  },
  {
    id: 'links/own-machine',
    severity: 'warning',
    finds:
      'A link from a public page to localhost, a private address or a file, unless the link text is the URL',
    reason: "It works only on the author's machine or network.",
    source: crawlable,
    find: page =>
      isOwnMachine(page.url)
        ? null
        : among(
            linksOf(page).filter(entry => isPrivate(hrefOf(entry.element)) && !isQuoted(page, entry)),
            {
              one: 'A link leads to a private machine.',
              many: '{n} links lead to private machines.',
              remedy: 'Link to the public URL.',
            },
            ({ element }) => hrefOf(element),
          ),
  },
  {
    id: 'links/internal-insecure',
    severity: 'warning',
    finds: 'A link from an https page to the same host with http',
    reason: 'Each such visit begins unencrypted and costs a redirect.',
    source: google('secure sites with HTTPS', 'advanced/security/https'),
    find: page =>
      among(
        page.url.protocol === 'https:'
          ? page.facts.links.filter(({ href }) => href.startsWith(`http://${page.url.hostname}/`))
          : [],
        {
          one: 'A link to this site uses http.',
          many: '{n} links to this site use http.',
          remedy: 'Use https.',
        },
        ({ href }) => href,
      ),
  },
  {
    id: 'links/internal-nofollow',
    severity: 'info',
    finds: 'A link with rel=nofollow to the same host',
    reason: "It prevents search engines from following links to the site's own pages.",
    source: google('qualify outbound links', 'crawling-indexing/qualify-outbound-links'),
    find: page => {
      const site = scopeOf(page.page.url, false)
      return among(
        page.facts.links.filter(({ href, nofollow }) => nofollow && inScope(site, href)),
        {
          one: 'A link to this site has nofollow.',
          many: '{n} links to this site have nofollow.',
          remedy: 'Use nofollow only for pages that should not be crawled.',
        },
        ({ href }) => href,
      )
    },
  },
  {
    id: 'links/internal-tracking',
    severity: 'info',
    finds: 'A link to the same host with `utm_` parameters',
    reason: 'Most analytics tools end the visit and start another, and the page gets a second URL.',
    source: google('URL structure', 'crawling-indexing/url-structure'),
    find: page =>
      among(
        linksOf(page).filter(({ element }) => isTrackedWithin(hrefOf(element), page)),
        {
          one: 'A link to this site has campaign parameters.',
          many: '{n} links to this site have campaign parameters.',
          remedy: 'Remove the parameters.',
        },
        ({ element }) => hrefOf(element),
      ),
  },
  {
    id: 'links/fragment-missing',
    severity: 'info',
    finds: 'A link to an anchor (`#…`) that the served HTML does not contain',
    reason: 'Unless a script creates the anchor, the link does nothing.',
    source: html('navigating to a fragment', 'browsing-the-web.html#scrolling-to-a-fragment'),
    find: page =>
      among(
        page.isCut || page.isShell
          ? []
          : linksOf(page).filter(({ element }) => lacksAnchor(hrefOf(element), page)),
        {
          one: 'A link leads to a missing anchor.',
          many: '{n} links lead to missing anchors.',
          remedy: 'Correct the id or the link.',
        },
        ({ element }) => hrefOf(element),
      ),
  },
  {
    id: 'links/too-many',
    severity: 'info',
    finds: `More than ${maxLinks} links`,
    reason: 'Readers do not use that many links, and each link gets less weight.',
    source: crawlable,
    find: ({ facts: { links } }) =>
      when(
        links.length > maxLinks,
        () => `The page has ${links.length} links. Divide the page, or keep the important links.`,
      ),
  },
  {
    id: 'links/none',
    on: 'indexed',
    severity: 'warning',
    finds: 'No link to another page of the site',
    reason: 'The page is a dead end for people and crawlers.',
    source: crawlable,
    find: page => {
      const site = siteScopeOf(page.page.url)
      const isDead = !page.isShell && !page.isCut && !page.facts.links.some(({ href }) => inScope(site, href))
      return when(
        isDead,
        () => 'The page has no link to another page of the site. Link at least to its section.',
      )
    },
  },
]

const linksOf = ({ index }: AuditedPage): Entry[] =>
  index.of('a').filter(({ element }) => attribute(element, 'href') !== null)

const hrefOf = (element: Entry['element']): string => attribute(element, 'href') ?? ''

const isReached = ({ element }: Entry): boolean => attribute(element, 'tabindex') !== '-1'

function isGenericLink({ index }: AuditedPage, entry: Entry): boolean {
  const { element, start, end } = entry
  const isLabelled =
    attribute(element, 'aria-label') !== null || attribute(element, 'aria-labelledby') !== null
  if (isLabelled || end - start > maxGenericLength || entry.isHidden) return false
  return !hrefOf(element).startsWith('#') && isGeneric(index.text(entry))
}

/** If the link text is the URL itself, the link is intended. */
const isQuoted = ({ index }: AuditedPage, entry: Entry): boolean =>
  hrefOf(entry.element).includes(index.text(entry).replace(/^https?:\/\//, '') || '\0')
