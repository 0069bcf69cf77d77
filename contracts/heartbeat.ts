/** What a service says of itself every few seconds, so that readiness can be judged from outside. */
import { type Static, Type } from 'typebox'

export const Heartbeat = Type.Object({
  service: Type.String(),
  instance: Type.String(),
  status: Type.Union([Type.Literal('pass'), Type.Literal('fail')]),
  /** Why it fails; of one that passes, what somebody should see to. */
  cause: Type.Optional(Type.String()),
})
export type Heartbeat = Static<typeof Heartbeat>

/** Seconds between two heartbeats, and after how many a service counts as away. */
export const heartbeatSeconds = 5
export const heartbeatMaxAgeSeconds = 30

export { services } from './services.ts'
