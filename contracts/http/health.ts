/** `/v1/ready` when the answer is no (docs/operating.md, Probes): which check fails, without naming a host. */
import { type Static, Type } from 'typebox'
import { Problem } from './problem.ts'

const Check = Type.Object(
  {
    status: Type.Union([Type.Literal('pass'), Type.Literal('fail')], {
      description: 'Whether what it asks for is there.',
    }),
    observed_ms: Type.Optional(Type.Number({ description: 'Milliseconds that the answer took.' })),
    age_seconds: Type.Optional(
      Type.Union([Type.Number(), Type.Null()], {
        description: 'Seconds since the oldest of the last heartbeats; null: one was never heard.',
      }),
    ),
    max_age_seconds: Type.Optional(Type.Number({ description: 'Seconds that it may be old.' })),
    missing: Type.Optional(Type.Array(Type.String(), { description: 'Services that are not heard.' })),
    full: Type.Optional(
      Type.Array(Type.String(), { description: 'Streams that have no room for the next message.' }),
    ),
    cause: Type.Optional(
      Type.String({ description: 'Why it fails; of one that passes, what should be seen to.' }),
    ),
  },
  { $id: 'Check', description: 'One thing that has to be there.' },
)
export type Check = Static<typeof Check>

export const NotReady = Type.Object(
  {
    status: Type.Literal('fail', { description: 'Always this; the other answer is 200.' }),
    error: Problem.properties.error,
    checks: Type.Object(
      { database: Check, worker_heartbeat: Check, event_stream: Check },
      { description: 'Each check, whether it passes or fails.' },
    ),
  },
  { $id: 'NotReady' },
)
export type NotReady = Static<typeof NotReady>
