/**
 * What a service says of itself: one JSON object a line on standard output, with the ids of the trace that
 * it belongs to and without what is secret.
 */
import { isSpanContextValid, trace } from '@opentelemetry/api'
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'

export type { Logger } from 'pino'

const secrets = [
  'authorization',
  'cookie',
  'cookies',
  'api_key',
  'apiKey',
  'proxy_url',
  'proxyUrl',
  'headers',
  'password',
  'secret',
  'token',
]
/** How deep in an object a secret is looked for. */
const depths = ['', '*.', '*.*.', '*.*.*.']

/** A log for a service, at the level that LOG_LEVEL names (`info` by default). */
export function createLog(service: string, destination?: DestinationStream): Logger {
  const options = {
    level: process.env.LOG_LEVEL || 'info',
    base: { service, ...(process.env.INSTANCE && { instance: process.env.INSTANCE }) },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: traceIds,
    redact: { paths: depths.flatMap(depth => secrets.map(name => depth + name)), censor: '[redacted]' },
  }
  return destination ? pino(options, destination) : pino(options)
}

function traceIds(): { trace_id?: string; span_id?: string } {
  const spanContext = trace.getActiveSpan()?.spanContext()
  if (!spanContext || !isSpanContextValid(spanContext)) return {}
  return { trace_id: spanContext.traceId, span_id: spanContext.spanId }
}
