/**
 * W3C trace context (https://www.w3.org/TR/trace-context/), inwards only: messages of ours carry it, and it
 * is read wherever it comes from, but requests to sites, receivers and providers go out without it. What strangers
 * say of a trace is told apart from what our own messages say.
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
const strangers = createContextKey('a trace that a client has named')
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
    // Whatever reads our own messages brings a getter, and the instrumentation of the HTTP server does not.
    const marked = context.setValue(strangers, getter === defaultTextMapGetter)
    return trace.setSpanContext(marked, spanContext)
  },

  fields: () => [header],
}

/** Whether the remote span in this context is one that a client has named. */
export const isOfStranger = (context: Context): boolean => context.getValue(strangers) === true

/** As W3C text, of version 00. */
export const traceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`

function spanContextOf(value: string | string[] | undefined): SpanContext | null {
  const text = Array.isArray(value) ? value[0] : value
  const [, traceId, spanId, flags] = versionZero.exec(text ?? '') ?? laterVersion.exec(text ?? '') ?? []
  if (!traceId || !spanId || !flags) return null
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(spanContext) ? spanContext : null
}
