/** The status that a service publishes every few seconds. The gateway computes readiness from it. */

import { type Static, Type } from 'typebox'
import { oneOf } from './primitives.ts'

export const Heartbeat = Type.Object({
  service: Type.String(),
  instance: Type.String(),
  status: oneOf(['pass', 'fail']),
  /** Why the service fails; if it passes, the problems that need attention. */
  cause: Type.Optional(Type.String()),
})
export type Heartbeat = Static<typeof Heartbeat>

/** Seconds between two heartbeats, and seconds after which a silent service counts as unavailable. */
export const heartbeatSeconds = 5
export const heartbeatMaxAgeSeconds = 30

export { services } from './services.ts'
