/** Changes that violate the rules of the parts of a page and of its structured data. */
import {
  add,
  addToHead,
  canonical,
  jsonLd,
  own,
  type Pair,
  robots,
  swap,
  words,
} from './audit-changes.scene.ts'

export const partsPairs: Record<string, Pair> = {
  'img/alt-missing': { change: add('<img src="/a.png" width="9" height="9">') },
  'img/alt-filename': { change: add('<img src="/a.png" alt="IMG_0815.jpg" width="9" height="9">') },
  'img/alt-placeholder': { change: add('<img src="/a.png" alt="image" width="9" height="9">') },
  'img/alt-long': { change: add(`<img src="/a.png" alt="${words(80)}" width="9" height="9">`) },
  'img/src-missing': { change: add('<img src="" alt="A ship" width="9" height="9">') },
  'img/size-missing': { change: add('<img src="/a.png" alt="A ship">') },
  'img/map-area-alt': { change: add('<map name="m"><area shape="rect" href="/north"></map>') },
  'img/server-side-map': {
    change: add('<a href="/map"><img src="/a.png" alt="A map" width="9" height="9" ismap></a>'),
  },
  'links/empty-anchor': { change: add(`<a href="${own}"><i class="icon"></i></a>`) },
  'links/generic-text': { change: add(`<a href="${own}">Read more »</a>`) },
  'links/malformed': { change: add('<a href="htp://moon.example/">The moon of today</a>') },
  'links/javascript': { change: add('<a href="javascript:show()">All of the tides</a>') },
  'links/own-machine': { change: add('<a href="http://localhost:8080/tides">Tides of today</a>') },
  'links/internal-insecure': { change: add('<a href="http://harbour.example/other">Other tides</a>') },
  'links/internal-nofollow': { change: add(`<a href="${own}" rel="nofollow">Other tides</a>`) },
  'links/internal-tracking': { change: add(`<a href="${own}?utm_source=home">Other tides</a>`) },
  'links/fragment-missing': { change: add('<a href="#sun">The sun and its part</a>') },
  'links/too-many': { change: add('<a href="/tides/1">Tide</a> '.repeat(3_001)), also: ['weight/elements'] },
  'links/none': { change: swap(['<a href="/tides">All about tides</a>', 'All about tides']) },
  'hreflang/invalid': { change: swap(['hreflang="de"', 'hreflang="en-UK"']) },
  'hreflang/self-missing': {
    change: swap(
      [/<link rel="alternate" hreflang="en".*?>/, ''],
      [/<link rel="alternate" hreflang="x-default".*?>/, ''],
    ),
  },
  'hreflang/duplicate': {
    change: addToHead('<link rel="alternate" hreflang="de" href="https://harbour.example/de/anders">'),
  },
  'hreflang/relative': { change: swap(['https://harbour.example/de/warum', '/de/warum']) },
  'hreflang/x-default-missing': {
    change: swap([
      /<link rel="alternate" hreflang="x-default".*?>/,
      '<link rel="alternate" hreflang="fr" href="https://harbour.example/fr/pourquoi">',
    ]),
  },
  'hreflang/not-canonical': {
    change: canonical('https://harbour.example/tides'),
    also: ['canonical/mismatch'],
  },
  'hreflang/in-body': {
    change: add('<link rel="alternate" hreflang="nl" href="https://harbour.example/nl/waarom">'),
  },
  'hreflang/on-noindexed': { change: robots('noindex'), also: ['robots/noindex'] },
  'hreflang/language-mismatch': { change: swap(['<html lang="en">', '<html lang="fr">']) },
  'og/missing': {
    change: swap([/(?:<meta property="og:.*>\n)+/, ''], [/<meta name="twitter:card".*?>/, '']),
  },
  'og/incomplete': { change: swap([/<meta property="og:image".*?>/, '']) },
  'og/url-mismatch': {
    change: swap([
      /<meta property="og:url".*?>/,
      '<meta property="og:url" content="https://harbour.example/">',
    ]),
  },
  'og/relative': { change: swap(['"og:image" content="https://harbour.example', '"og:image" content="']) },
  'og/name-attribute': { change: swap(['<meta property="og:type"', '<meta name="og:type"']) },
  'twitter/card-invalid': {
    change: swap(['"twitter:card" content="summary"', '"twitter:card" content="photo"']),
  },
  'twitter/title-missing': { change: swap([/<meta property="og:title".*?>/, '']), also: ['og/incomplete'] },
  'twitter/relative': { change: addToHead('<meta name="twitter:image" content="/tide.png">') },
}

export const dataPairs: Record<string, Pair> = {
  'jsonld/invalid': {
    change: addToHead(
      '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Thing",}</script>',
    ),
  },
  'jsonld/context-missing': {
    change: addToHead('<script type="application/ld+json">{"@type":"Thing","name":"Tide"}</script>'),
  },
  'jsonld/type-missing': { change: jsonLd({ name: 'Tide' }) },
  'jsonld/type-case': { change: jsonLd({ '@type': 'thing', name: 'Tide' }) },
  'jsonld/too-large': {
    change: addToHead(
      `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Thing","name":"${'x'.repeat(530_000)}"}</script>`,
    ),
    also: ['jsonld/invalid'],
  },
  'schema/product': { change: jsonLd({ '@type': 'Product', name: 'Boat' }) },
  'schema/breadcrumb': {
    change: jsonLd({
      '@type': 'BreadcrumbList',
      itemListElement: [{ '@type': 'ListItem', position: 1, item: 'https://harbour.example/tides' }],
    }),
  },
  'schema/faq-page': {
    change: jsonLd({ '@type': 'FAQPage', mainEntity: [{ '@type': 'Question', name: 'Why?' }] }),
  },
  'schema/qa-page': {
    change: jsonLd({ '@type': 'QAPage', mainEntity: { '@type': 'Question', name: 'Why?' } }),
  },
  'schema/event': { change: jsonLd({ '@type': 'Event', name: 'Regatta', startDate: '2026-07-01' }) },
  'schema/recipe': { change: jsonLd({ '@type': 'Recipe', name: 'Fish soup' }) },
  'schema/job-posting': {
    change: jsonLd({
      '@type': 'JobPosting',
      title: 'Pilot',
      description: 'Ships',
      datePosted: '2026-01-02',
      jobLocation: 'Harbour',
    }),
  },
  'schema/local-business': { change: jsonLd({ '@type': 'Restaurant', name: 'Anchor' }) },
  'schema/review': {
    change: jsonLd({
      '@type': 'Review',
      author: 'Ada',
      itemReviewed: { '@type': 'Boat', name: 'Mary' },
      reviewRating: { '@type': 'Rating' },
    }),
  },
  'schema/aggregate-rating': {
    change: jsonLd({ '@type': 'AggregateRating', ratingValue: 4, itemReviewed: { '@type': 'Boat' } }),
  },
  'schema/video': { change: jsonLd({ '@type': 'VideoObject', name: 'Tide', uploadDate: '2026-01-02' }) },
  'schema/software-application': {
    change: jsonLd({ '@type': 'MobileApplication', name: 'Tides', offers: { price: 0 } }),
  },
  'schema/course': { change: jsonLd({ '@type': 'Course', name: 'Sailing' }) },
  'schema/dataset': { change: jsonLd({ '@type': 'Dataset', name: 'Heights' }) },
  'schema/movie': { change: jsonLd({ '@type': 'Movie', name: 'The sea' }) },
  'schema/profile-page': {
    change: jsonLd({ '@type': 'ProfilePage', mainEntity: { '@type': 'Person', url: '/ada' } }),
  },
  'schema/discussion-posting': {
    change: jsonLd({ '@type': 'DiscussionForumPosting', author: { name: 'Ada' }, text: 'Why?' }),
  },
  'schema/article': { change: swap(['"image":"https://harbour.example/tide.png",', '']) },
  'schema/organization': { change: jsonLd({ '@type': 'Organization', name: 'Harbour' }) },
  'schema/date-invalid': { change: swap(['2026-02-03"', '3 February 2026"']) },
  'schema/rating-out-of-range': {
    change: jsonLd({
      '@type': 'Product',
      name: 'Boat',
      aggregateRating: { '@type': 'AggregateRating', ratingValue: '87', reviewCount: 3 },
    }),
  },
}
