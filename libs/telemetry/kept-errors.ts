/**
 * Exports errors of traces that are not sampled: the failed span and its ancestors in this process, when they end.
 * Other spans of the trace are not kept, and earlier processes of the trace export nothing.
 */
import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace'
import { spanAttributes } from '@tidemark/contracts/traces'

/** Maximum number of ancestors of failed spans that have not ended. Beyond it, the oldest are dropped. */
const maxAwaited = 2_000

/** Returns a processor that passes sampled spans and errors on to `next`. */
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

/**
 * Returns whether the span is an error of ours. A status below 500 is a normal response of a site, which a crawl
 * reports.
 */
function isFault({ status, kind, attributes }: ReadableSpan): boolean {
  if (status.code !== SpanStatusCode.ERROR) return false
  const answered = attributes[spanAttributes.httpStatus]
  return kind !== SpanKind.CLIENT || typeof answered !== 'number' || answered >= 500
}

/** Returns the span with the sampled flag, because exporters take only sampled spans. */
function marked(span: ReadableSpan): ReadableSpan {
  span.attributes[spanAttributes.keptForError] = true
  const spanContext = { ...span.spanContext(), traceFlags: TraceFlags.SAMPLED }
  return Object.create(span, { spanContext: { value: () => spanContext } }) as ReadableSpan
}
