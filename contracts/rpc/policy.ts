/** A request to the extractor: reads the rules of a site for AI bots. */
import { type Static, Type } from 'typebox'
import { RobotsPolicy } from '../http/robots-policy.ts'
import { Id } from '../primitives.ts'
import { rpc } from './rpc.ts'

export const ReadRobotsPolicy = Type.Object({
  /** The project that the request counts for. Gateways of earlier versions send none. */
  projectId: Type.Optional(Id),
  url: Type.String(),
  /** The crawler that the verdict is for. Default: this service. */
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
