/** Defines the common interface of all search engines, and collects their hits within limits. */
import type { SearchHit, SearchWebResponse } from '@tidemark/contracts/rpc/search'
import { normalForm } from '@tidemark/url/normal-form'
import { fieldsIn } from '../adapters/vendor-api.ts'

/**
 * Returns at most `limit` hits, best first.
 * @throws FetchError
 */
export type SearchEngine = (query: string, limit: number, signal: AbortSignal) => Promise<SearchWebResponse>

const maxUrlLength = 2_048
const maxTitleLength = 500
const maxSnippetLength = 2_000

/** Collects hits in the order in which they are added, each page once. */
export class Hits {
  readonly found: SearchHit[] = []
  readonly #known = new Set<string>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get isFull(): boolean {
    return this.found.length >= this.#limit
  }

  /** Adds the readable entries of a list. Returns how many of them were new. */
  add(entries: unknown, snippetField: string): number {
    const before = this.found.length
    for (const entry of Array.isArray(entries) ? entries : []) {
      if (this.isFull) break
      const { url, title, [snippetField]: snippet } = fieldsIn(entry)
      const page = typeof url === 'string' && url.length <= maxUrlLength ? normalForm(url) : null
      if (page === null || this.#known.has(page)) continue
      this.#known.add(page)
      this.found.push({
        url: String(url),
        title: textOf(title, maxTitleLength) ?? page,
        snippet: textOf(snippet, maxSnippetLength),
      })
    }
    return this.found.length - before
  }
}

/** Returns a text in one line, truncated to its maximum length; null if there is no text. */
function textOf(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return null
  const text = value
    .slice(0, 4 * maxLength)
    .replace(/\s+/g, ' ')
    .trim()
  return text === '' ? null : text.slice(0, maxLength).toWellFormed()
}
