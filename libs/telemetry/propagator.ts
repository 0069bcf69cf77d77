/**
 * Propagates the W3C trace context (https://www.w3.org/TR/trace-context/) in incoming and internal messages only:
 * requests to sites, receivers and providers never carry it. It is read from every source. Contexts that clients send
 * are marked, because they are not trusted like those of our own messages.
 */
import {
  type Context,
  createContextKey,
  defaultTextMapGetter,
  defaultTextMapSetter,
  isSpanContextValid,
  type SpanContext,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  trace,
} from '@opentelemetry/api'

const header = 'traceparent'
const fromClient = createContextKey('a trace that a client has named')
const versionZero = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
const laterVersion = /^(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

export const inwardPropagator: TextMapPropagator = {
  inject(context: Context, carrier: unknown, setter: TextMapSetter) {
    const spanContext = trace.getSpanContext(context)
    // Instrumentations of HTTP clients pass no setter of their own.
    if (setter === defaultTextMapSetter || !spanContext || !isSpanContextValid(spanContext)) return
    setter.set(carrier, header, traceparent(spanContext))
  },

  extract(context: Context, carrier: unknown, getter: TextMapGetter) {
    const spanContext = spanContextOf(getter.get(carrier, header))
    if (!spanContext) return context
    // Readers of our own messages pass a getter. The instrumentation of the HTTP server uses the default one.
    const marked = context.setValue(fromClient, getter === defaultTextMapGetter)
    return trace.setSpanContext(marked, spanContext)
  },

  fields: () => [header],
}

/** Returns whether a client sent the remote span of this context. */
export const isFromClient = (context: Context): boolean => context.getValue(fromClient) === true

/** Returns the `traceparent` header of version 00. */
export const traceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`

function spanContextOf(value: string | string[] | undefined): SpanContext | null {
  const text = Array.isArray(value) ? value[0] : value
  const [, traceId, spanId, flags] = versionZero.exec(text ?? '') ?? laterVersion.exec(text ?? '') ?? []
  if (!traceId || !spanId || !flags) return null
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(spanContext) ? spanContext : null
}
