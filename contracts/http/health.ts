/** `/v1/ready` when the answer is no (api decisions, 4.1): which check fails, without naming a host. */
import { type Static, Type } from 'typebox'
import { Problem } from './problem.ts'

const Check = Type.Object({
  status: Type.Union([Type.Literal('pass'), Type.Literal('fail')]),
  observed_ms: Type.Optional(Type.Number()),
  age_seconds: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  max_age_seconds: Type.Optional(Type.Number()),
  missing: Type.Optional(Type.Array(Type.String())),
  full: Type.Optional(Type.Array(Type.String(), { description: 'Streams that have hardly any room left.' })),
  cause: Type.Optional(Type.String({ description: 'Why it fails.' })),
})
export type Check = Static<typeof Check>

export const NotReady = Type.Object(
  {
    status: Type.Literal('fail'),
    error: Problem.properties.error,
    checks: Type.Object({ database: Check, worker_heartbeat: Check, event_stream: Check }),
  },
  { $id: 'NotReady' },
)
export type NotReady = Static<typeof NotReady>
