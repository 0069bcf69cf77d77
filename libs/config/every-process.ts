/**
 * What every process can be told besides the settings of its services. Their readers are elsewhere (the log, the
 * sampler of traces, the watch of the event loop); that they are right is judged with all other settings.
 */
import { Type } from 'typebox'

const samplers = ['always_on', 'always_off', 'traceidratio'] as const
const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export const ofEveryProcess = Type.Object({
  LOG_LEVEL: Type.Optional(Type.Union(levels.map(level => Type.Literal(level)))),
  DRAIN_MS: Type.Optional(Type.Integer({ minimum: 0, maximum: 120_000 })),
  OTEL_TRACES_SAMPLER: Type.Optional(
    Type.Union(samplers.flatMap(name => [Type.Literal(name), Type.Literal(`parentbased_${name}` as const)])),
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  TRACE_TRUSTS_CLIENTS: Type.Optional(Type.Boolean()),
  EVENT_LOOP_STALL_MS: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
})
