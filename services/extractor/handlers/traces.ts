/** Where work on many pages belongs: within their trace if they share one, and linked to each of them. */
import { extract, inTrace, linkTo } from '@tidemark/bus/trace'

type Parent = ReturnType<typeof extract>
type Links = ReturnType<typeof linkTo>

/** @param traceparents W3C text of each page, where it was traced */
export function placeOf(traceparents: (string | undefined)[]): { parent: Parent; links: Links } {
  const distinct = [...new Set(traceparents)].filter(traceparent => traceparent !== undefined)
  const links = distinct.flatMap(traceparent => inTrace(traceparent, () => linkTo(undefined)))
  const isOneTrace = new Set(links.map(({ context }) => context.traceId)).size === 1
  return { parent: inTrace(isOneTrace ? distinct[0] : undefined, () => extract(undefined)), links }
}
