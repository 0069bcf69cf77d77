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
/** Of ours, and so it is not the default one: by that the SDK knows what strangers say. */
const ofText: TextMapGetter<string> = {
  keys: () => [header],
  get: (text, key) => (key === header ? text : undefined),
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
  return carrier.get(header)
}

/** The same as headers of a message that somebody else will publish. */
export function traceHeaders(): Record<string, string> {
  const traceparent = currentTraceparent()
  return traceparent === undefined ? {} : { [header]: traceparent }
}

const contextOf = (traceparent: string | undefined): Context =>
  traceparent ? propagation.extract(ROOT_CONTEXT, traceparent, ofText) : ROOT_CONTEXT

/** Runs `fn` in the trace that this W3C text names, or in none. */
export const inTrace = <T>(traceparent: string | undefined, fn: () => T): T =>
  context.with(contextOf(traceparent), fn)

/** A link to what is going on here, for work that is done later, or together with others'. */
export function linkHere(): Link[] {
  const spanContext = trace.getSpanContext(context.active())
  return spanContext ? [{ context: spanContext }] : []
}

/** What the field's conventions say of a message, by subject and what which service does with it. */
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

/** Says more of the span that is going on here. */
export function describe(attributes: Attributes, name?: string): void {
  const span = trace.getActiveSpan()
  span?.setAttributes(attributes)
  if (name !== undefined) span?.updateName(name)
}

/** The span that is going on here has failed, although nothing is thrown through it. */
export function failHere(error: unknown): void {
  const span = trace.getActiveSpan()
  if (span) fail(span, error)
}

function fail(span: Span, error: unknown): void {
  if (error instanceof Refusal && error.status < 500) return // an answer, and no fault
  span.recordException(error instanceof Error ? error : String(error))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

type Place = { kind: SpanKind; parent: Context; links?: Link[]; attributes: Attributes }

/** Runs `fn` in a span of its own, which ends with it and records what it throws. */
export async function withSpan<T>(
  name: string,
  { kind, parent, links = [], attributes }: Place,
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

/** The same for work that neither sends nor receives, in the trace that this text names, or as the begin of one. */
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

/** As many links as a span keeps by default. */
const mostLinks = 128

/**
 * Where work that serves several belongs: within their trace if they share one, and linked to each of them.
 *
 * @param traceparents W3C text of each, where it was traced
 */
export function placeOf(traceparents: (string | undefined)[]): { parent: Context; links: Link[] } {
  const contexts = [...new Set(traceparents)].flatMap(text => (text ? [contextOf(text)] : []))
  const known = contexts.flatMap(parent => trace.getSpanContext(parent) ?? [])
  const isOneTrace = known.every(({ traceId }) => traceId === known[0]?.traceId)
  const links = known.slice(0, mostLinks).map(context => ({ context }))
  return { parent: (isOneTrace && contexts[0]) || ROOT_CONTEXT, links }
}

/** The same for a batch of messages that a reader has taken. */
export function withBatchSpan<T>(
  bus: Pick<Bus, 'name'>,
  projection: string,
  stream: string,
  messages: { headers: MsgHdrs | undefined }[],
  fn: () => Promise<T>,
): Promise<T> {
  const { parent, links } = placeOf(messages.map(({ headers }) => headers?.get(header)))
  const attributes = {
    ...messaging(bus, 'process', stream),
    [spanAttributes.messagingBatch]: messages.length,
    [spanAttributes.projection]: projection,
  }
  return withSpan(spanNames.project(projection), { kind: SpanKind.CONSUMER, parent, links, attributes }, fn)
}
