/** Rules of what is shown where a page is shared: Open Graph and Twitter cards. */
import { attribute } from '@tidemark/html/tree/attribute'
import { normalForm } from '@tidemark/url/normal-form'
import { effectiveOf, selfOf } from './canonical.ts'
import { kindOf } from './page-kind.ts'
import { among, type Rule, when } from './rule.ts'
import { openGraph, twitterCards } from './sources.ts'
import { contentOf } from './title.ts'

/** Characters that are read of a property. */
const longestRead = 2000
const required = ['title', 'type', 'image', 'url']
const cards = new Set(['summary', 'summary_large_image', 'app', 'player'])
const isWhole = (address: string): boolean => /^https?:\/\//i.test(address)

export const socialRules: readonly Rule[] = [
  {
    id: 'og/missing',
    on: 'indexed',
    severity: 'info',
    finds: 'No Open Graph property, on a home page, an article or a product',
    reason: 'Whoever shares the page sees what each service guesses of it.',
    source: openGraph,
    find: page =>
      when(
        kindOf(page) !== null && Object.keys(page.facts.metadata.og).length === 0,
        () => `The page (${kindOf(page)}) has no Open Graph. Add og:title, og:type, og:image and og:url.`,
      ),
  },
  {
    id: 'og/incomplete',
    on: 'indexed',
    severity: 'info',
    finds: 'Open Graph without one of og:title, og:type, og:image and og:url',
    reason: 'The protocol requires these four of every page.',
    source: openGraph,
    find: ({ facts: { metadata } }) => {
      const { og } = metadata
      const missing = required.filter(name => !(name in og) && !(name === 'image' && 'image:url' in og))
      return Object.keys(og).length === 0
        ? null
        : among(
            missing,
            n =>
              `${n === 1 ? 'A property that Open Graph requires is' : `${n} properties that Open Graph requires are`} missing. Add them.`,
            name => `og:${name}`,
          )
    },
  },
  {
    id: 'og/url-mismatch',
    on: 'indexed',
    severity: 'info',
    finds: 'An og:url that is neither this address nor its canonical',
    reason: 'Shares are counted for, and lead to, the other address.',
    source: openGraph,
    find: page => {
      const { url } = page.facts.metadata.og
      if (url === undefined || url.length >= longestRead) return null
      const target = normalForm(url, page.base)
      const isSame = target === selfOf(page) || target === effectiveOf(page)
      return isSame
        ? null
        : { message: 'og:url names another address than the page and its canonical.', samples: [url] }
    },
  },
  {
    id: 'og/relative',
    on: 'indexed',
    severity: 'warning',
    finds: 'An og:image or og:url without scheme and host',
    reason: 'Services do not resolve it: no image is shown.',
    source: openGraph,
    find: ({ facts: { metadata } }) =>
      among(
        (['image', 'url'] as const).filter(name => name in metadata.og && !isWhole(metadata.og[name] ?? '')),
        () => 'Open Graph holds relative addresses. State whole ones.',
        name => `og:${name}: ${metadata.og[name]}`,
      ),
  },
  {
    id: 'og/name-attribute',
    on: 'indexed',
    severity: 'info',
    finds: 'An `og:` property in a name attribute',
    reason: 'The protocol has them in property attributes; some services read no other.',
    source: openGraph,
    find: ({ index }) =>
      among(
        index.of('meta').filter(({ element }) => {
          const isNamed = attribute(element, 'name')?.toLowerCase().startsWith('og:') ?? false
          return isNamed && attribute(element, 'property') === null
        }),
        n =>
          `${n} Open Graph ${n === 1 ? 'property stands' : 'properties stand'} in name. Write <meta property="og:…">.`,
        entry => `${attribute(entry.element, 'name')}: ${contentOf(entry)}`,
      ),
  },
  {
    id: 'twitter/card-invalid',
    on: 'indexed',
    severity: 'warning',
    finds: 'A twitter:card that is none of summary, summary_large_image, app and player',
    reason: 'No card is shown.',
    source: twitterCards,
    find: ({ facts: { metadata } }) => {
      const { card } = metadata.twitter
      return card === undefined || cards.has(card.toLowerCase())
        ? null
        : {
            message: 'twitter:card has a value that is not known. Use summary or summary_large_image.',
            samples: [card],
          }
    },
  },
  {
    id: 'twitter/title-missing',
    on: 'indexed',
    severity: 'info',
    finds: 'A twitter:card with neither twitter:title nor og:title',
    reason: 'A card needs a title; without one a plain link is shown.',
    source: twitterCards,
    find: ({ facts: { metadata } }) =>
      when(
        'card' in metadata.twitter && !('title' in metadata.twitter) && !('title' in metadata.og),
        () => 'The card has no title. Add og:title or twitter:title.',
      ),
  },
  {
    id: 'twitter/relative',
    on: 'indexed',
    severity: 'warning',
    finds: 'A twitter:image without scheme and host',
    reason: 'It is not shown.',
    source: twitterCards,
    find: ({ facts: { metadata } }) => {
      const { image } = metadata.twitter
      return image === undefined || isWhole(image)
        ? null
        : { message: 'twitter:image is relative. State the whole address.', samples: [image] }
    },
  },
]
