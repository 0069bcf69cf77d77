/** Changes that violate the rules of responses and of search, each with the other rules that it also violates. */
import { clean } from './audit.examples.ts'
import {
  add,
  addToHead,
  at,
  body,
  both,
  canonical,
  context,
  headers,
  type Pair,
  robots,
  site,
  swap,
  title,
} from './audit-changes.scene.ts'

export const answerPairs: Record<string, Pair> = {
  'status/client-error': { change: page => ({ ...page, status: 404 }) },
  'status/server-error': { change: page => ({ ...page, status: 503 }) },
  'status/unknown': { change: page => ({ ...page, status: 999 }) },
  'status/soft-404': {
    change: both(title('Page not found: there is no such page in this harbour'), body('<p>Sorry.</p>')),
    also: ['content/thin', 'links/fragment-missing'],
  },
  'status/empty': { change: page => ({ ...page, html: '' }) },
  'document/not-html': { change: page => ({ ...page, contentType: 'application/pdf' }) },
  'redirect/no-target': { change: page => ({ ...page, status: 302 }) },
  'redirect/chain': {
    change: context({
      hops: [
        { url: 'https://harbour.example/a', status: 301 },
        { url: 'https://harbour.example/b', status: 301 },
      ],
    }),
  },
  'redirect/temporary': { change: context({ hops: [{ url: 'https://harbour.example/a', status: 302 }] }) },
  'redirect/insecure': {
    change: context({
      hops: [
        { url: 'https://a.example/', status: 301 },
        { url: 'http://a.example/', status: 301 },
      ],
    }),
    also: ['redirect/chain'],
  },
  'redirect/meta-refresh': { change: addToHead('<meta http-equiv="refresh" content="0; url=/other">') },
}

export const searchPairs: Record<string, Pair> = {
  'robots/noindex': { change: robots('noindex'), also: ['hreflang/on-noindexed'] },
  'robots/nofollow': { change: robots('nofollow') },
  'robots/conflict': { change: both(robots('follow, nofollow')), also: ['robots/nofollow'] },
  'robots/unknown-directive': { change: robots('index, no-archive') },
  'robots/nosnippet': { change: headers({ 'x-robots-tag': 'nosnippet' }) },
  'robots/expired': { change: robots('unavailable_after: Sat, 12 Oct 2024 10:00:00 GMT') },
  'robots/disallowed': { change: site({ googlebot: { allowed: false, rule: '/tides/' } }) },
  'robots/noindex-unreadable': {
    change: both(robots('noindex'), site({ googlebot: { allowed: false, rule: '/tides/' } })),
    also: ['robots/noindex', 'robots/disallowed', 'hreflang/on-noindexed'],
  },
  'robots/unreachable': { change: site({ robotsStatus: 503, googlebot: { allowed: false, rule: null } }) },
  'canonical/missing': {
    change: both(at('https://harbour.example/tides?sort=new'), swap([/<link rel="canonical".*?>/, ''])),
  },
  'canonical/mismatch': {
    change: both(
      canonical('https://harbour.example/tides'),
      swap([/<link rel="alternate".*?>\n<link rel="alternate".*?>\n<link rel="alternate".*?>/, '']),
    ),
  },
  'canonical/insecure': {
    change: both(
      canonical(clean.url.replace('https', 'http')),
      swap([/(?:<link rel="alternate".*?>\n)+/, '']),
    ),
  },
  'canonical/multiple': { change: addToHead('<link rel="canonical" href="https://harbour.example/other">') },
  'canonical/invalid': { change: canonical('') },
  'canonical/relative': { change: canonical('/tides/why-twice') },
  'canonical/fragment': { change: canonical(`${clean.url}#moon`) },
  'canonical/in-body': {
    change: both(swap([/<link rel="canonical".*?>/, '']), add(`<link rel="canonical" href="${clean.url}">`)),
  },
  'canonical/ignored-attribute': {
    change: swap(['<link rel="canonical"', '<link rel="canonical" hreflang="en"']),
  },
  'canonical/on-noindexed': {
    change: both(
      robots('noindex'),
      canonical('https://harbour.example/tides'),
      swap([/(?:<link rel="alternate".*?>\n)+/, '']),
    ),
    also: ['robots/noindex', 'canonical/mismatch'],
  },
}
