/** The spans that followed from some others, in the order of a tree: each below its parent, or else below its link. */
import { spanAttributes } from '@tidemark/contracts/traces'
import type { ReceivedSpan } from '@tidemark/testing/otlp'

export type Row = { span: ReceivedSpan; service: string; depth: number }

/** Returns every span that the spans of `begins` led to, by parents and links, in any trace. */
export function rowsOf(spans: readonly ReceivedSpan[], begins: readonly ReceivedSpan[]): Row[] {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const below = Map.groupBy(
    spans.flatMap(span => above(span, ids).map(spanId => ({ span, spanId }))),
    ({ spanId }) => spanId,
  )
  const rows: Row[] = []
  const seen = new Set<string>()

  function add(span: ReceivedSpan, service: string, depth: number): void {
    if (seen.has(span.spanId)) return
    seen.add(span.spanId)
    const named = span.attributes[spanAttributes.service]
    const own = typeof named === 'string' ? named : service
    rows.push({ span, service: own, depth })
    const children = (below.get(span.spanId) ?? []).map(({ span }) => span)
    for (const child of children.toSorted((a, b) => a.startMs - b.startMs)) add(child, own, depth + 1)
  }

  for (const span of begins) add(span, span.service, 0)
  return rows
}

function above({ parentSpanId, links }: ReceivedSpan, ids: ReadonlySet<string>): string[] {
  return ids.has(parentSpanId) ? [parentSpanId] : links.map(({ spanId }) => spanId)
}
