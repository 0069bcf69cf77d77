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
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import type { Bus } from './connection.ts'
import { Refusal } from './refusal.ts'

const header = 'traceparent'
const setter: TextMapSetter<MsgHdrs> = { set: (headers, key, value) => headers.set(key, value) }
const getter: TextMapGetter<MsgHdrs | undefined> = {
  keys: headers => headers?.keys() ?? [],
  get: (headers, key) => headers?.get(key) || undefined,
}
/** Our own getter instead of the default one: it marks the trace contexts of external clients for the SDK. */
const ofText: TextMapGetter<string> = {
  keys: () => [header],
  get: (text, key) => (key === header ? text : undefined),
}
const tracer = trace.getTracer('@tidemark/bus')

/** Writes the active trace context into the headers of a message to be sent. */
export const injectTraceContext = (headers: MsgHdrs): void =>
  propagation.inject(context.active(), headers, setter)

/** Returns the trace context of a received message; the active one if it has none. */
export const extractTraceContext = (headers: MsgHdrs | undefined): Context =>
  propagation.extract(context.active(), headers, getter)

/** Returns the active trace as W3C text, for data that outlives the process; undefined without a trace. */
export function currentTraceparent(): string | undefined {
  const carrier = new Map<string, string>()
  propagation.inject(context.active(), carrier, { set: (map, key, value) => map.set(key, value) })
  return carrier.get(header)
}

/** Returns the active trace as headers, for a message that another process publishes. */
export function traceHeaders(): Record<string, string> {
  const traceparent = currentTraceparent()
  return traceparent === undefined ? {} : { [header]: traceparent }
}

const contextOf = (traceparent: string | undefined): Context =>
  traceparent ? propagation.extract(ROOT_CONTEXT, traceparent, ofText) : ROOT_CONTEXT

/** Runs `fn` in the trace of this W3C text, or in none. */
export const inTrace = <T>(traceparent: string | undefined, fn: () => T): T =>
  context.with(contextOf(traceparent), fn)

/** Returns a link to the active span, for work that is done later or in a batch. */
export function linkHere(): Link[] {
  const spanContext = trace.getSpanContext(context.active())
  return spanContext ? [{ context: spanContext }] : []
}

/** Returns the attributes of the OpenTelemetry conventions for a message. */
export const messaging = (
  { name }: Pick<Bus, 'name'>,
  operation: 'send' | 'process',
  subject: string,
): Attributes => ({
  [spanAttributes.service]: name,
  [spanAttributes.messagingSystem]: 'nats',
  [spanAttributes.messagingOperation]: operation,
  [spanAttributes.messagingDestination]: subject,
})

/** Adds attributes to the active span, and renames it if `name` is set. */
export function addSpanAttributes(attributes: Attributes, name?: string): void {
  const span = trace.getActiveSpan()
  span?.setAttributes(attributes)
  if (name !== undefined) span?.updateName(name)
}

/** Marks the active span as failed although it throws no error. */
export function failHere(error: unknown): void {
  const span = trace.getActiveSpan()
  if (span) fail(span, error)
}

function fail(span: Span, error: unknown): void {
  if (error instanceof Refusal && error.status < 500) return // a refusal, not a fault
  span.recordException(error instanceof Error ? error : String(error))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

type SpanOptions = { kind: SpanKind; parent: Context; links?: Link[]; attributes: Attributes }

/** Runs `fn` in its own span, which records its error. */
export async function withSpan<T>(
  name: string,
  { kind, parent, links = [], attributes }: SpanOptions,
  fn: (span: Span) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { kind, links, attributes }, parent, async span => {
    try {
      return await fn(span)
    } catch (error) {
      fail(span, error)
      throw error
    } finally {
      span.end()
    }
  })
}

/** Runs `fn` in a span of kind INTERNAL: in the trace of `work`, or as the root of a new one. */
export const withWorkSpan = <T>(
  name: string,
  { service, trace: traceparent, links = [] }: Work,
  attributes: Attributes,
  fn: (span: Span) => Promise<T>,
): Promise<T> => {
  const all = { [spanAttributes.service]: service, ...attributes }
  const parent = contextOf(traceparent ?? undefined)
  return withSpan(name, { kind: SpanKind.INTERNAL, parent, links, attributes: all }, fn)
}

/** `trace` is W3C text. */
type Work = { service: string; trace?: string | null | undefined; links?: Link[] }

/** The default limit of links of a span. */
const maxLinks = 128

/**
 * Returns the trace for work that serves several requests: their trace if they share one, with links to each of them.
 *
 * @param traceparents W3C text of each that was traced
 */
export function sharedTrace(traceparents: (string | undefined)[]): { parent: Context; links: Link[] } {
  const contexts = [...new Set(traceparents)].flatMap(text => (text ? [contextOf(text)] : []))
  const known = contexts.flatMap(parent => trace.getSpanContext(parent) ?? [])
  const isOneTrace = known.every(({ traceId }) => traceId === known[0]?.traceId)
  const links = known.slice(0, maxLinks).map(context => ({ context }))
  return { parent: (isOneTrace && contexts[0]) || ROOT_CONTEXT, links }
}

/** Runs `fn` in a span for a batch of messages that a projection has read. */
export function withBatchSpan<T>(
  bus: Pick<Bus, 'name'>,
  projection: string,
  stream: string,
  messages: { headers: MsgHdrs | undefined }[],
  fn: () => Promise<T>,
): Promise<T> {
  const { parent, links } = sharedTrace(messages.map(({ headers }) => headers?.get(header)))
  const attributes = {
    ...messaging(bus, 'process', stream),
    [spanAttributes.messagingBatch]: messages.length,
    [spanAttributes.projection]: projection,
  }
  return withSpan(spanNames.project(projection), { kind: SpanKind.CONSUMER, parent, links, attributes }, fn)
}
