/**
 * What every process can be told besides the settings of its services. Their readers are elsewhere (the log, the
 * watch of the event loop); that they are right is judged with all other settings.
 */
import { Type } from 'typebox'

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export const ofEveryProcess = Type.Object({
  LOG_LEVEL: Type.Optional(Type.Union(levels.map(level => Type.Literal(level)))),
  EVENT_LOOP_STALL_MS: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
})
