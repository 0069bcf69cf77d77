/** A request to the extractor: what a site tells AI bots. */
import { type Static, Type } from 'typebox'
import { RobotsPolicy } from '../http/robots-policy.ts'
import { rpc } from './rpc.ts'

export const ReadRobotsPolicy = Type.Object({
  url: Type.String(),
  /** Whom the verdict is for; without it this service. */
  userAgent: Type.Optional(Type.String()),
})
export type ReadRobotsPolicy = Static<typeof ReadRobotsPolicy>

export const robotsPolicy = rpc({
  subject: 'ask.robots.policy',
  request: ReadRobotsPolicy,
  response: RobotsPolicy,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})
