/** What every search engine has in common: it is asked for the best pages, and what it says is bounded. */
import type { SearchHit, SearchWebAnswer } from '@tidemark/contracts/ask/search'
import { normalForm } from '@tidemark/url/normal-form'
import { fieldsIn } from '../adapters/vendor-api.ts'

/** The best first, at most so many. @throws FetchError */
export type SearchEngine = (query: string, limit: number, signal: AbortSignal) => Promise<SearchWebAnswer>

const longestUrl = 2_048
const longestTitle = 500
const longestSnippet = 2_000

/** Hits in the order in which they are added, each page once. */
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

  /** Takes what can be read of a list; how many of them were new. */
  add(entries: unknown, snippetField: string): number {
    const before = this.found.length
    for (const entry of Array.isArray(entries) ? entries : []) {
      if (this.isFull) break
      const { url, title, [snippetField]: snippet } = fieldsIn(entry)
      const page = typeof url === 'string' && url.length <= longestUrl ? normalForm(url) : null
      if (page === null || this.#known.has(page)) continue
      this.#known.add(page)
      this.found.push({
        url: String(url),
        title: textOf(title, longestTitle) ?? page,
        snippet: textOf(snippet, longestSnippet),
      })
    }
    return this.found.length - before
  }
}

/** On one line, cut to its length; null where there is nothing to read. */
function textOf(value: unknown, longest: number): string | null {
  if (typeof value !== 'string') return null
  const text = value
    .slice(0, 4 * longest)
    .replace(/\s+/g, ' ')
    .trim()
  return text === '' ? null : text.slice(0, longest).toWellFormed()
}
