/**
 * Errors are exported whatever was drawn for their trace: the span that failed, and those of this process that it was
 * part of, as they end. What else its trace did is not kept, and the processes before this one do not know of it.
 */
import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace'
import { spanAttributes } from '@tidemark/contracts/traces'

/** Spans that are under way with a failed part; so many failures at once are told with their circumstances. */
const maxAwaited = 2_000

/** Passes on what is sampled, and errors. */
export function keepingErrors(next: SpanProcessor): SpanProcessor {
  const awaited = new Set<string>()

  function isKept(span: ReadableSpan): boolean {
    const isPartOf = awaited.delete(span.spanContext().spanId)
    if (!isPartOf && !isFault(span)) return false
    const { parentSpanContext: parent } = span
    if (parent && parent.isRemote !== true) awaited.add(parent.spanId)
    const [oldest] = awaited
    if (awaited.size > maxAwaited && oldest !== undefined) awaited.delete(oldest)
    return true
  }

  return {
    onStart: (span, context) => next.onStart(span, context),
    onEnd(span) {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0) next.onEnd(span)
      else if (isKept(span)) next.onEnd(marked(span))
    },
    forceFlush: () => next.forceFlush(),
    shutdown: () => next.shutdown(),
  }
}

/** That a site has no such page is what a crawl is to find out, and no fault: those below 500 are as the site answers. */
function isFault({ status, kind, attributes }: ReadableSpan): boolean {
  if (status.code !== SpanStatusCode.ERROR) return false
  const answered = attributes[spanAttributes.httpStatus]
  return kind !== SpanKind.CLIENT || typeof answered !== 'number' || answered >= 500
}

/** The span as one that is sampled, which is what exporters take. */
function marked(span: ReadableSpan): ReadableSpan {
  span.attributes[spanAttributes.keptForError] = true
  const spanContext = { ...span.spanContext(), traceFlags: TraceFlags.SAMPLED }
  return Object.create(span, { spanContext: { value: () => spanContext } }) as ReadableSpan
}
