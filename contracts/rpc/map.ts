/** A request to the extractor: reads the URLs that a site lists of itself. */
import { type Static, Type } from 'typebox'
import { MapAnswer } from '../http/map.ts'
import { Id, orNull } from '../primitives.ts'
import { rpc } from './rpc.ts'

export const MapSite = Type.Object({
  /** The project that the request counts for. Gateways of earlier versions send none. */
  projectId: Type.Optional(Id),
  url: Type.String(),
  limit: Type.Integer({ minimum: 1, maximum: 50_000 }),
  search: orNull(Type.String()),
  subdomains: Type.Boolean(),
  sitemaps: Type.Boolean(),
  respectRobots: Type.Boolean(),
  /** User-Agent of the client; robots.txt is then matched by its product token. */
  userAgent: Type.Optional(Type.String()),
  /** Product token by which robots.txt of the site of `url` is matched instead. It is not sent to any host. */
  robotsToken: Type.Optional(Type.String()),
  /** Maximum number of requests. Default: the limit of a map. */
  maxFetches: Type.Optional(Type.Integer({ minimum: 2 })),
  /** The sitemap to read instead of those that the site lists. */
  sitemap: Type.Optional(Type.String()),
  /** Whether to return the robots.txt of the site. */
  withRobots: Type.Optional(Type.Boolean()),
})
export type MapSite = Static<typeof MapSite>

/** The response for robots.txt, as far as it was read. The body is empty if the response has no usable one. */
export const RobotsResponse = Type.Object({
  origin: Type.String(),
  status: Type.Integer(),
  body: Type.String(),
})
export type RobotsResponse = Static<typeof RobotsResponse>

export const MapSiteResponse = Type.Object({
  ...MapAnswer.properties,
  robots: Type.Optional(Type.Array(RobotsResponse)),
})
export type MapSiteResponse = Static<typeof MapSiteResponse>

export const mapSite = rpc({
  subject: 'ask.map.site',
  request: MapSite,
  response: MapSiteResponse,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})
