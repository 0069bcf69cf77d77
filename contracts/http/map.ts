/** `POST /v1/map`: the URLs of a site without a crawl. */
import { type Static, Type } from 'typebox'
import { oneOf, orNull } from '../primitives.ts'
import { warnings } from './lists.ts'

export const MapRequest = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: 'The home page of the site, or of a section of it; http:// or https://.',
      examples: ['https://example.com/'],
    }),
    limit: Type.Integer({
      minimum: 1,
      maximum: 50_000,
      default: 5000,
      description: 'Maximum number of URLs.',
    }),
    search: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'Only URLs with one of these words in path or title, best match first.',
      }),
    ),
    subdomains: Type.Boolean({ default: false, description: "Include subdomains of the site's host." }),
    include_sitemaps: Type.Boolean({
      default: true,
      description: 'False: read only the links of the home page.',
    }),
    respect_robots: Type.Boolean({
      default: true,
      description: 'Do not fetch a home page that robots.txt forbids. URLs in sitemaps are listed anyway.',
    }),
  },
  { $id: 'MapRequest' },
)

export const MapItem = Type.Object({
  url: Type.String({ description: 'The URL in normal form.' }),
  title: Type.Optional(
    Type.String({ description: 'For the home page its title, otherwise the text of the link on it.' }),
  ),
  lastmod: Type.Optional(Type.String({ description: 'As the sitemap states it.' })),
  source: oneOf(['sitemap', 'link'], {
    description: 'Source of the URL: a sitemap, or a link on the home page.',
  }),
})
export type MapItem = Static<typeof MapItem>

const httpStatus = orNull(Type.Integer({ description: 'HTTP status; null: no response.' }))
const error = orNull(
  Type.String({ description: 'Reason why there was no response: dns, connect, tls, timeout …, or robots.' }),
)

export const MapSitemap = Type.Object({
  url: Type.String({ description: 'URL of the sitemap.' }),
  status: httpStatus,
  urls: Type.Integer({ description: 'Number of URLs that it lists, of any site.' }),
  sitemaps: Type.Integer({ description: 'Number of further sitemaps that it lists.' }),
  cut: orNull(
    Type.String({ description: 'The part that was not read, or the reason; null: all of it was read.' }),
  ),
})
export type MapSitemap = Static<typeof MapSitemap>

const MapSources = Type.Object(
  {
    robots: Type.Object(
      { url: Type.String({ description: 'URL of robots.txt.' }), status: httpStatus, error },
      { description: 'The response for robots.txt.' },
    ),
    sitemaps: Type.Array(MapSitemap, { description: 'Every sitemap that was requested.' }),
    home_page: Type.Object(
      {
        url: Type.String({ description: 'URL of the home page.' }),
        status: httpStatus,
        links: Type.Integer({ description: 'Number of distinct links, to any site.' }),
        error,
      },
      { description: 'The response of the home page.' },
    ),
  },
  { description: 'The sources that were read or not, with the reason.' },
)

export const MapAnswer = Type.Object(
  {
    url: Type.String({ description: 'URL of the home page, after redirects.' }),
    items: Type.Array(MapItem, { description: 'The URLs; with `search`, best match first.' }),
    total: Type.Integer({ description: 'Number of URLs that match, listed here or not.' }),
    truncated: Type.Boolean({
      description: 'Whether there are, or may be, URLs that were not listed or not read.',
    }),
    sources: MapSources,
    warnings,
  },
  { $id: 'Map' },
)
