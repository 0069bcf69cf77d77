/** Where work on many pages belongs: within their trace if they share one, and linked to each of them. */
import { type Context, type Link, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'

export type Place = { parent: Context; links: Link[] }

/** @param traceparents W3C text of each page, where it was traced */
export function placeOf(traceparents: (string | undefined)[]): Place {
  const contexts = [...new Set(traceparents)]
    .filter(traceparent => traceparent !== undefined)
    .map(traceparent => propagation.extract(ROOT_CONTEXT, { traceparent }))
  const links = contexts.flatMap(linkOf)
  const [first = ROOT_CONTEXT] = contexts
  const isOneTrace = new Set(links.map(({ context }) => context.traceId)).size === 1
  return { parent: isOneTrace ? first : ROOT_CONTEXT, links }
}

function linkOf(of: Context): Link[] {
  const context = trace.getSpanContext(of)
  return context ? [{ context }] : []
}
