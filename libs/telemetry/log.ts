/**
 * Creates the log of a service: one JSON object per line on standard output, with the ids of the current trace and
 * without secrets.
 */
import { isSpanContextValid, trace } from '@opentelemetry/api'
import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino'
import { lineOutput, withoutBlocking } from './log-output.ts'
import { censored, withoutSecrets } from './redact.ts'

/** Child loggers are excluded, because their fields would not be redacted. */
export type Logger = Pick<PinoLogger, 'level' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'>

/** All logs of a process share it, so that their lines keep their order. */
const standardOutput = lineOutput(withoutBlocking(1))

/** Returns the log of a service at the level of LOG_LEVEL (default: `info`). */
export function createLog(service: string, destination: DestinationStream = standardOutput): Logger {
  const options = {
    level: process.env.LOG_LEVEL || 'info',
    base: { service, ...(process.env.INSTANCE && { instance: process.env.INSTANCE }) },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: censored },
    mixin: traceIds,
    // Redacted errors are plain objects. The standard serializer would give all of them the same type.
    serializers: { err: (plain: unknown) => plain },
    hooks: { streamWrite: withoutSecrets },
  }
  return pino(options, destination)
}

function traceIds(): { trace_id?: string; span_id?: string } {
  const spanContext = trace.getActiveSpan()?.spanContext()
  if (!spanContext || !isSpanContextValid(spanContext)) return {}
  return { trace_id: spanContext.traceId, span_id: spanContext.spanId }
}
