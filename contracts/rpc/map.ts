/** A request to the extractor: the addresses that a site lists of itself. */
import { type Static, Type } from 'typebox'
import { MapAnswer } from '../http/map.ts'
import { orNull } from '../primitives.ts'
import { rpc } from './rpc.ts'

export const MapSite = Type.Object({
  url: Type.String(),
  limit: Type.Integer({ minimum: 1, maximum: 50_000 }),
  search: orNull(Type.String()),
  subdomains: Type.Boolean(),
  sitemaps: Type.Boolean(),
  respectRobots: Type.Boolean(),
  /** The client's own; robots.txt is then judged by the product token in it. */
  userAgent: Type.Optional(Type.String()),
  /** Most requests; without it as many as a map may take. */
  maxFetches: Type.Optional(Type.Integer({ minimum: 2 })),
  /** Read in place of those that the site names. */
  sitemap: Type.Optional(Type.String()),
  /** Whether the answer has the robots.txt of the site. */
  withRobots: Type.Optional(Type.Boolean()),
})
export type MapSite = Static<typeof MapSite>

/** What robots.txt answered, as far as it was read; the body is empty where the answer has none worth reading. */
export const RobotsAnswer = Type.Object({
  origin: Type.String(),
  status: Type.Integer(),
  body: Type.String(),
})
export type RobotsAnswer = Static<typeof RobotsAnswer>

export const MapSiteAnswer = Type.Object({
  ...MapAnswer.properties,
  robots: Type.Optional(Type.Array(RobotsAnswer)),
})
export type MapSiteAnswer = Static<typeof MapSiteAnswer>

export const mapSite = rpc({
  subject: 'ask.map.site',
  request: MapSite,
  response: MapSiteAnswer,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})
