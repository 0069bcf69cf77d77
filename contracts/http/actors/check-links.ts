/** `POST /v1/actors/check-links`: checks the links of a page or of a list. */

import { type Static, Type } from 'typebox'
import { priceText } from '../../prices.ts'
import { count, oneOf, orNull } from '../../primitives.ts'
import { Pool, Url } from '../cloud/page.ts'
import { actorAnswer } from './actor.ts'

const maxUrls = 200
export const maxCloudRetries = 50
/** Maximum number of distinct links of one page that are checked. */
export const maxLinks = 1000
/** Concurrent requests: default and maximum. */
export const linksAtOnce = { default: 32, max: 64 } as const

/** Any text: an invalid URL is reported as a broken link and does not reject the request. */
const Link = Type.String({ description: 'A URL of any scheme.', examples: ['https://example.com/'] })

export const CheckLinksRequest = Type.Object(
  {
    url: Type.Optional(
      Type.With(Url, { description: `A page whose links are checked, up to ${maxLinks} of them.` }),
    ),
    urls: Type.Optional(
      Type.Array(Link, {
        minItems: 1,
        maxItems: maxUrls,
        description: `Up to ${maxUrls} links to check, instead of url. Duplicates are checked once.`,
        examples: [['https://example.com/', 'https://example.com/docs#install']],
      }),
    ),
    cloud_retry: Type.Boolean({
      default: false,
      description: `Retry links that block this service with a cloud backend, at most ${maxCloudRetries}. ${priceText('check_links_retry')}`,
    }),
    cloud_retry_mode: oneOf(['chrome', 'proxy'], {
      default: 'chrome',
      description: 'Retry with a browser or a proxy.',
    }),
    proxy_pool: Type.Optional(
      Type.With(Pool, { description: 'Kind of the proxy for cloud_retry_mode proxy. Default: residential.' }),
    ),
    max_concurrent: Type.Integer({
      default: linksAtOnce.default,
      description: `Concurrent requests, from 1 to ${linksAtOnce.max}. Other values are set to the nearest bound. At most four to one host.`,
    }),
  },
  { $id: 'CheckLinksRequest' },
)
export type CheckLinksRequest = Static<typeof CheckLinksRequest>

/** Why a link is not ok. */
const linkReasons = {
  not_found: 'it responds with 404',
  gone: 'it responds with 410',
  client_error: 'it responds with another status from 400 to 499',
  server_error: 'it responds with a status from 500 to 599, twice',
  dns: 'the name of its host does not resolve',
  connect: 'the connection failed',
  tls: 'the TLS handshake failed',
  timeout: 'it did not respond in time, twice',
  protocol: 'its response is not valid HTTP, or is incomplete',
  too_large: 'its response exceeds the size limit',
  too_many_redirects: 'its redirects form a loop, or there are more than ten',
  bad_redirect: 'its redirect has no valid http(s) URL',
  fragment_not_found: 'no element of the page has the name of the fragment',
  bad_url: 'it is not a valid URL',
  blocked: 'the site rejects the crawler, with 401, 403, 407, 429, 451, 999 or a challenge for bots',
  scheme: 'its scheme belongs to another program than a browser, such as mailto:',
  robots: 'robots.txt disallows it',
  private_address: 'it leads to an address that is not on the public internet',
  blocked_domain: 'its host is on the blocklist',
  unsupported_url: 'it has a user and password, or a port to which no requests are sent',
  throttled: 'its host requested a longer pause than a check waits',
  page_cap: 'the project has no pages left',
  not_asked: 'it was not requested in time, or four other links of its host timed out',
} as const
export type LinkReason = keyof typeof linkReasons

const LinkReason = Type.Unsafe<LinkReason>(
  Type.Union(
    Object.keys(linkReasons).map(reason => Type.Literal(reason)),
    {
      description: `Why it is not ok. ${Object.entries(linkReasons)
        .map(([reason, explanation]) => `${reason}: ${explanation}`)
        .join('; ')}.`,
    },
  ),
)

export const LinkStatus = oneOf(['ok', 'broken', 'excluded'], {
  description:
    'excluded: unknown whether it is broken, because it was not requested, or its site blocked the request. LINKCHECK_BLOCKED can count blocked links as broken.',
})
export type LinkStatus = Static<typeof LinkStatus>

export const LinkKind = oneOf(['link', 'image', 'script', 'stylesheet'], {
  description: 'The element with which the page first links to it.',
})
export type LinkKind = Static<typeof LinkKind>

export const LinkItem = Type.Object({
  url: Type.String({
    description: 'The link. Entries of urls are as sent, cut to 8,192 characters.',
  }),
  status_code: orNull(Type.Integer({ description: 'HTTP status after all redirects; null: no response.' })),
  status: LinkStatus,
  recovered_via_cloud: Type.Boolean({
    description: 'Whether the site blocked the request and a cloud backend fetched the link.',
  }),
  error: orNull(Type.String({ description: 'The reason why it is not ok, in one sentence.' })),
  reason: orNull(LinkReason),
  kind: Type.Optional(LinkKind),
  redirected_to: Type.Optional(Type.String({ description: 'URL after all redirects; absent: no redirect.' })),
  redirects: Type.Optional(
    Type.Array(
      Type.Object({
        url: Type.String({ description: 'The URL that redirects, cut to 1,024 characters.' }),
        status: Type.Integer({ description: 'HTTP status of the redirect.' }),
      }),
      { description: 'In order; absent: no redirect.' },
    ),
  ),
  anchor: Type.Optional(
    oneOf(['ok', 'missing'], {
      description: 'Whether the page has an element for the fragment; absent: not checked.',
    }),
  ),
})
export type LinkItem = Static<typeof LinkItem>

export const LinksChecked = Type.Object({
  source_url: orNull(
    Type.String({ description: 'The page that contains the links; null: the request sent a list.' }),
  ),
  total: count('Number of items.'),
  ok: count('Number of items that are ok.'),
  broken: count('Number of items that are broken.'),
  excluded: count('Number of items that are excluded.'),
  cloud_retried: count('Number of links that a cloud backend retried.'),
  cloud_recovered: count('Number of retried links that the cloud backend could fetch.'),
  cloud_cost_usd: Type.Number({
    minimum: 0,
    description: 'Cost of the retries in US dollars, beside cloud pages.',
  }),
  items: Type.Array(LinkItem, { description: 'Each link once, in the order of the page or the list.' }),
})
export type LinksChecked = Static<typeof LinksChecked>

export const CheckLinksAnswer = actorAnswer('check-links', LinksChecked, 'CheckLinksAnswer')
