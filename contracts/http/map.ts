/** `POST /v1/map`: the addresses of a site without a crawl. */
import { type Static, Type } from 'typebox'
import { orNull } from '../primitives.ts'
import { warnings } from './lists.ts'

export const MapRequest = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: 'The home page of the site, or of a part of it; http:// or https://.',
      examples: ['https://example.com/'],
    }),
    limit: Type.Integer({ minimum: 1, maximum: 50_000, default: 5000, description: 'At most so many.' }),
    search: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'Only addresses with one of these words in path or title, the best first.',
      }),
    ),
    subdomains: Type.Boolean({ default: false, description: "List subdomains of the site's host too." }),
    include_sitemaps: Type.Boolean({ default: true, description: 'False: the links of the home page only.' }),
    respect_robots: Type.Boolean({
      default: true,
      description: 'Fetch no home page that robots.txt forbids. What a sitemap lists is listed all the same.',
    }),
  },
  { $id: 'MapRequest' },
)
export type MapRequest = Static<typeof MapRequest>

export const MapItem = Type.Object({
  url: Type.String({ description: 'In normal form.' }),
  title: Type.Optional(
    Type.String({ description: 'Of the home page its title, else the text of the link on it.' }),
  ),
  lastmod: Type.Optional(Type.String({ description: 'As the sitemap has it.' })),
  source: Type.Union([Type.Literal('sitemap'), Type.Literal('link')], {
    description: 'Who names it: a sitemap, or a link of the home page.',
  }),
})
export type MapItem = Static<typeof MapItem>

const httpStatus = orNull(Type.Integer({ description: 'HTTP status; null where there was no answer.' }))
const error = orNull(
  Type.String({ description: 'Why there was no answer: dns, connect, tls, timeout …, or robots.' }),
)

export const MapSitemap = Type.Object({
  url: Type.String({ description: 'Of the sitemap.' }),
  status: httpStatus,
  urls: Type.Integer({ description: 'Addresses that it lists, of any site.' }),
  sitemaps: Type.Integer({ description: 'Further sitemaps that it names.' }),
  cut: orNull(Type.String({ description: 'What of it was not read, and why.' })),
})
export type MapSitemap = Static<typeof MapSitemap>

const MapSources = Type.Object(
  {
    robots: Type.Object(
      { url: Type.String({ description: 'Of robots.txt.' }), status: httpStatus, error },
      { description: 'How robots.txt answered.' },
    ),
    sitemaps: Type.Array(MapSitemap, { description: 'Every sitemap that was asked for.' }),
    home_page: Type.Object(
      {
        url: Type.String({ description: 'Of the home page.' }),
        status: httpStatus,
        links: Type.Integer({ description: 'Distinct links, of any site.' }),
        error,
      },
      { description: 'How the home page answered.' },
    ),
  },
  { description: 'What was read, what was not, and why.' },
)
export type MapSources = Static<typeof MapSources>

export const MapAnswer = Type.Object(
  {
    url: Type.String({ description: 'Where the home page was found after its redirects.' }),
    items: Type.Array(MapItem, { description: 'The addresses, the best first where `search` was given.' }),
    total: Type.Integer({ description: 'Addresses found that match, listed here or not.' }),
    truncated: Type.Boolean({ description: 'There are more, or may be: not all is listed or was read.' }),
    sources: MapSources,
    warnings,
  },
  { $id: 'Map' },
)
export type MapAnswer = Static<typeof MapAnswer>
