/** The search of a vendor. */
import { costOf, type Vendor } from '../adapters/vendor-api.ts'
import { Hits, type SearchEngine } from './engine.ts'

const limits = { maxBytes: 4 * 1024 ** 2, timeoutMs: 15_000 }

export const searchByVendor =
  (vendor: Vendor): SearchEngine =>
  async (query, limit, signal) => {
    const wish = { search: query, search_limit: limit, fetch_page_content: false }
    const said = await vendor.post('/search', wish, { ...limits, signal })
    const hits = new Hits(limit)
    hits.add(said.content ?? said.results ?? [said], 'description')
    return { hits: hits.found, costUsd: costOf(said) }
  }
