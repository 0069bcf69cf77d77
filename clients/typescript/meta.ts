/** The facts of a response beside its content, kept for each result. */
import { parsedJson } from './errors.ts'

export type Meta = {
  requestId: string | null
  etag: string | null
  /** Parts of the request without an effect, one sentence each. */
  warnings: readonly string[]
  pagesBilled: number | null
  cloudPagesBilled: number | null
}

const metas = new WeakMap<object, Meta>()

/** Returns the facts of the response that a result came from; null: the value is not a result of this client. */
export const metaOf = (result: unknown): Meta | null =>
  typeof result === 'object' && result !== null ? (metas.get(result) ?? null) : null

/** Records the facts of a response for its content. */
export function keepMeta(result: unknown, { headers }: Response): void {
  if (typeof result !== 'object' || result === null) return
  const { warnings } = result as { warnings?: unknown }
  const own = Array.isArray(warnings) ? (warnings as string[]) : []
  const sent = parsedJson(headers.get('x-warnings') ?? '')
  metas.set(result, {
    requestId: headers.get('x-request-id'),
    etag: headers.get('etag'),
    warnings: [...new Set([...own, ...(Array.isArray(sent) ? sent.map(String) : [])])],
    pagesBilled: countIn(headers, 'x-pages-billed'),
    cloudPagesBilled: countIn(headers, 'x-cloud-pages-billed'),
  })
}

/** Returns the number in a header, or null. */
export const countIn = (headers: Headers, name: string): number | null =>
  headers.has(name) ? Number(headers.get(name)) : null
