/** The spans that came of some others, in the order of a tree: each under its parent, else under what it is linked to. */
import { spanAttributes } from '@tidemark/contracts/traces'
import type { ReceivedSpan } from '@tidemark/testing/otlp'

export type Row = { span: ReceivedSpan; service: string; depth: number }

/** All that the spans of `begins` led to, by parents and by links, whichever trace it is in. */
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
    const said = span.attributes[spanAttributes.service]
    const own = typeof said === 'string' ? said : service
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
