/**
 * Carries traces over the bus: the W3C trace context travels in message headers. Without a registered SDK
 * every function here does next to nothing.
 */

import type { MsgHdrs } from '@nats-io/transport-node'
import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type TextMapSetter,
  trace,
} from '@opentelemetry/api'

const setter: TextMapSetter<MsgHdrs> = { set: (headers, key, value) => headers.set(key, value) }
const getter: TextMapGetter<MsgHdrs | undefined> = {
  keys: headers => headers?.keys() ?? [],
  get: (headers, key) => headers?.get(key) || undefined,
}
const tracer = trace.getTracer('@tidemark/bus')

/** Writes the active trace context into the headers of a message to be sent. */
export const inject = (headers: MsgHdrs): void => propagation.inject(context.active(), headers, setter)

/** The trace context that a received message carries; the active one where it carries none. */
export const extract = (headers: MsgHdrs | undefined): Context =>
  propagation.extract(context.active(), headers, getter)

/** The active trace as W3C text, for what outlives the process; undefined where nothing is traced. */
export function currentTraceparent(): string | undefined {
  const carrier = new Map<string, string>()
  propagation.inject(context.active(), carrier, { set: (map, key, value) => map.set(key, value) })
  return carrier.get('traceparent')
}

/** Runs `fn` in the trace that this W3C text names, or in none. */
export const inTrace = <T>(traceparent: string | undefined, fn: () => T): T =>
  context.with(propagation.extract(ROOT_CONTEXT, traceparent ? { traceparent } : {}), fn)

/** What a message's headers say for a link, for work that serves many messages at once. */
export function linkTo(headers: MsgHdrs | undefined): Link[] {
  const spanContext = trace.getSpanContext(extract(headers))
  return spanContext ? [{ context: spanContext }] : []
}

/** What the field's conventions say of a message, by subject and what is done with it. */
export const messaging = (operation: 'send' | 'process', subject: string): Attributes => ({
  'messaging.system': 'nats',
  'messaging.operation.type': operation,
  'messaging.destination.name': subject,
})

/** Runs `fn` in a span of its own, which ends with it and records what it throws. */
export async function withSpan<T>(
  name: string,
  kind: SpanKind,
  parent: Context,
  links: Link[],
  attributes: Attributes,
  fn: (span: Span) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { kind, links, attributes }, parent, async span => {
    try {
      return await fn(span)
    } catch (error) {
      span.recordException(error instanceof Error ? error : String(error))
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

/** As many links as a span keeps by default. */
const mostLinks = 128

/** The same for a batch of messages: no trace is its parent, those of its messages are linked. */
export function withBatchSpan<T>(
  name: string,
  subject: string,
  messages: { headers: MsgHdrs | undefined }[],
  fn: () => Promise<T>,
): Promise<T> {
  const carriers = messages.filter(({ headers }) => headers !== undefined).slice(0, mostLinks)
  const links = carriers.flatMap(({ headers }) => inTrace(undefined, () => linkTo(headers)))
  const attributes = { ...messaging('process', subject), 'messaging.batch.message_count': messages.length }
  return withSpan(name, SpanKind.CONSUMER, ROOT_CONTEXT, links, attributes, fn)
}
