/** Rules for previews of shared pages: Open Graph and Twitter cards. */
import { attribute } from '@tidemark/html/tree/attribute'
import { normalForm } from '@tidemark/url/normal-form'
import { contentOf } from './page-index.ts'
import { kindOf } from './page-kind.ts'
import { among, type Rule, when, withSample } from './rule.ts'
import { openGraph, twitterCards } from './sources.ts'
import { effectiveOf, selfOf } from './stated-canonicals.ts'

/** Characters of a property that are read. A longer URL is truncated, so it is not compared. */
const maxReadLength = 2000
const required = ['title', 'type', 'image', 'url']
const cards = new Set(['summary', 'summary_large_image', 'app', 'player'])
const isWhole = (address: string): boolean => /^https?:\/\//i.test(address)

export const socialRules: readonly Rule[] = [
  {
    id: 'og/missing',
    on: 'indexed',
    severity: 'info',
    finds: 'No Open Graph property on a home page, an article or a product',
    reason: 'Each service guesses the preview of the shared page.',
    source: openGraph,
    find: page =>
      when(
        kindOf(page) !== null && Object.keys(page.facts.metadata.og).length === 0,
        () =>
          `The page (${kindOf(page)}) has no Open Graph properties. Add og:title, og:type, og:image and og:url.`,
      ),
  },
  {
    id: 'og/incomplete',
    on: 'indexed',
    severity: 'info',
    finds: 'Open Graph without one of og:title, og:type, og:image and og:url',
    reason: 'The protocol requires these four properties on every page.',
    source: openGraph,
    find: ({ facts: { metadata } }) => {
      const { og } = metadata
      const missing = required.filter(name => !(name in og) && !(name === 'image' && 'image:url' in og))
      return Object.keys(og).length === 0
        ? null
        : among(
            missing,
            {
              one: 'A required Open Graph property is missing.',
              many: '{n} required Open Graph properties are missing.',
              remedy: 'Add the missing properties.',
            },
            name => `og:${name}`,
          )
    },
  },
  {
    id: 'og/url-mismatch',
    on: 'indexed',
    severity: 'info',
    finds: "An og:url that differs from the page's URL and its canonical URL",
    reason: 'Services count shares for the other URL and link to it.',
    source: openGraph,
    find: page => {
      const { url } = page.facts.metadata.og
      if (url === undefined || url.length >= maxReadLength) return null
      const target = normalForm(url, page.base)
      const isSame = target === selfOf(page) || target === effectiveOf(page)
      return withSample("og:url differs from the page's URL and its canonical URL.", isSame ? null : url)
    },
  },
  {
    id: 'og/relative',
    on: 'indexed',
    severity: 'warning',
    finds: 'An og:image or og:url without scheme and host',
    reason: 'Services do not resolve relative URLs, so they show no image.',
    source: openGraph,
    find: ({ facts: { metadata } }) =>
      among(
        (['image', 'url'] as const).filter(name => name in metadata.og && !isWhole(metadata.og[name] ?? '')),
        { many: 'Open Graph contains relative URLs.', remedy: 'Use absolute URLs.' },
        name => `og:${name}: ${metadata.og[name]}`,
      ),
  },
  {
    id: 'og/name-attribute',
    on: 'indexed',
    severity: 'info',
    finds: 'An `og:` property in a name attribute',
    reason: 'The protocol uses property attributes, and some services read no other.',
    source: openGraph,
    find: ({ index }) =>
      among(
        index.of('meta').filter(({ element }) => {
          const isNamed = attribute(element, 'name')?.toLowerCase().startsWith('og:') ?? false
          return isNamed && attribute(element, 'property') === null
        }),
        {
          one: '1 Open Graph property is in a name attribute.',
          many: '{n} Open Graph properties are in name attributes.',
          remedy: 'Use <meta property="og:…">.',
        },
        entry => `${attribute(entry.element, 'name')}: ${contentOf(entry)}`,
      ),
  },
  {
    id: 'twitter/card-invalid',
    on: 'indexed',
    severity: 'warning',
    finds: 'A twitter:card other than summary, summary_large_image, app and player',
    reason: 'No card is shown.',
    source: twitterCards,
    find: ({ facts: { metadata } }) => {
      const { card = null } = metadata.twitter
      return withSample(
        'twitter:card has an unknown value. Use summary or summary_large_image.',
        card !== null && cards.has(card.toLowerCase()) ? null : card,
      )
    },
  },
  {
    id: 'twitter/title-missing',
    on: 'indexed',
    severity: 'info',
    finds: 'A twitter:card with neither twitter:title nor og:title',
    reason: 'A card needs a title. Without one, only a plain link is shown.',
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
    reason: 'The card shows no image.',
    source: twitterCards,
    find: ({ facts: { metadata } }) => {
      const { image = null } = metadata.twitter
      return withSample(
        'twitter:image is relative. Use an absolute URL.',
        image !== null && isWhole(image) ? null : image,
      )
    },
  },
]
