/** The 503 response of `/v1/ready` (docs/operating.md, Probes): the failing checks, without host names. */

import { type Static, Type } from 'typebox'
import { oneOf } from '../primitives.ts'
import { Problem } from './problem.ts'

const Check = Type.Object(
  {
    status: oneOf(['pass', 'fail'], {
      description: 'Whether the check passes.',
    }),
    observed_ms: Type.Optional(Type.Number({ description: 'Duration of the check in milliseconds.' })),
    age_seconds: Type.Optional(
      Type.Union([Type.Number(), Type.Null()], {
        description: 'Seconds since the oldest of the latest heartbeats; null: a service has sent none.',
      }),
    ),
    max_age_seconds: Type.Optional(Type.Number({ description: 'Maximum age in seconds.' })),
    missing: Type.Optional(
      Type.Array(Type.String(), { description: 'Services without a recent heartbeat.' }),
    ),
    full: Type.Optional(
      Type.Array(Type.String(), { description: 'Streams without capacity for the next message.' }),
    ),
    cause: Type.Optional(
      Type.String({
        description: 'The reason for the failure; for a passing check, a problem to examine.',
      }),
    ),
  },
  { $id: 'Check', description: 'One dependency.' },
)
export type Check = Static<typeof Check>

export const NotReady = Type.Object(
  {
    status: Type.Literal('fail', { description: 'Always this value; the other response is 200.' }),
    error: Problem.properties.error,
    checks: Type.Object(
      { database: Check, worker_heartbeat: Check, event_stream: Check },
      { description: 'Each check, whether it passes or fails.' },
    ),
  },
  { $id: 'NotReady' },
)
export type NotReady = Static<typeof NotReady>
