/** Reads all pages of a crawl, and those that a running crawl adds. */
import { useSignal } from '@preact/signals'
import type { PageItem } from '@tidemark/sdk'
import { useEffect, useRef } from 'preact/hooks'
import { tidemark } from './client.ts'

/** Rows of one request. Parsing more would be a long task. */
const partLength = 2000
const firstLength = 500
export const maxPages = 100_000
const fields = 'title,depth,inlinks'

type Run = { page_count: number; finished_at: string | null }
type Part = { items: PageItem[]; next_offset: number | null }

/**
 * Reads in parts, so that the first pages appear at once, and reads on when `run` has more pages. `isLoading` is true
 * until the first reading is complete.
 */
export function usePages(id: number, run: Run | null) {
  const rows = useSignal<PageItem[]>([])
  const isLoading = useSignal(true)
  const error = useSignal<unknown>(null)
  const readOn = useRef(() => {})
  const pageCount = useRef(0)
  pageCount.current = run?.page_count ?? 0
  useEffect(() => {
    const stop = new AbortController()
    const known = new Set<number>()
    let offset = 0
    let isReading = false
    /** The crawl was read since the last request. */
    let isWanted = false
    rows.value = []
    isLoading.value = true
    const readPart = async (): Promise<boolean> => {
      const limit = offset === 0 ? firstLength : partLength
      const request = { limit, offset, fields, signal: stop.signal }
      const { items, next_offset }: Part = await tidemark.crawls.pages(id, request)
      // A page that arrives late moves those with a greater id.
      const fresh = items.filter(page => !known.has(page.id))
      for (const page of fresh) known.add(page.id)
      offset += items.length
      if (fresh.length > 0) rows.value = [...rows.value, ...fresh]
      return next_offset !== null && offset < maxPages
    }
    const read = async () => {
      isWanted = true
      if (isReading || offset >= maxPages) return
      isReading = true
      try {
        do isWanted = false
        while ((await readPart()) || (isWanted && known.size < pageCount.current))
        error.value = null
      } catch (failure) {
        if (!stop.signal.aborted) error.value = failure
      } finally {
        isReading = false
        if (!stop.signal.aborted) isLoading.value = false
      }
    }
    readOn.current = () => void read()
    readOn.current()
    return () => stop.abort()
  }, [id])
  const missing = pageCount.current > rows.value.length
  useEffect(() => {
    if (missing) readOn.current()
  }, [missing, isLoading.value, run?.page_count, run?.finished_at])
  return { rows: rows.value, isLoading: isLoading.value, error: error.value }
}
