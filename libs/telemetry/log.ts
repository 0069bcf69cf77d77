/**
 * What a service says of itself: one JSON object a line on standard output, with the ids of the trace that
 * it belongs to and without what is secret.
 */
import { isSpanContextValid, trace } from '@opentelemetry/api'
import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino'
import { censored, withoutSecrets } from './redact.ts'

/** A log with fields of its own (`child`) would not look into them for secrets. */
export type Logger = Pick<PinoLogger, 'level' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'>

/** A log for a service, at the level that LOG_LEVEL names (`info` by default). */
export function createLog(service: string, destination?: DestinationStream): Logger {
  const options = {
    level: process.env.LOG_LEVEL || 'info',
    base: { service, ...(process.env.INSTANCE && { instance: process.env.INSTANCE }) },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: censored },
    mixin: traceIds,
    // What was censored is plain already: read as an error again, all would be of the same type.
    serializers: { err: (plain: unknown) => plain },
    hooks: { streamWrite: withoutSecrets },
  }
  return destination ? pino(options, destination) : pino(options)
}

function traceIds(): { trace_id?: string; span_id?: string } {
  const spanContext = trace.getActiveSpan()?.spanContext()
  if (!spanContext || !isSpanContextValid(spanContext)) return {}
  return { trace_id: spanContext.traceId, span_id: spanContext.spanId }
}
