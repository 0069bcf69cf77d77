/**
 * Reads all pages of a crawl, and those that a running crawl adds. Inlinks of a running crawl are left out: they change with
 * each page, and each request for them reads all links of the crawl. At its end the whole list is read again, with them.
 */
import { type Signal, useSignal } from '@preact/signals'
import type { PageItem } from '@tidemark/sdk'
import { useEffect, useRef } from 'preact/hooks'
import { tidemark } from './client.ts'

/** Rows of one request. Parsing more would be a long task. */
const partLength = 2000
const firstLength = 500
export const maxPages = 100_000
const fields = { running: 'title,depth', ended: 'title,depth,inlinks' }

type Run = { page_count: number; finished_at: string | null }
type Part = { items: PageItem[]; next_offset: number | null }
type Shown = { rows: Signal<PageItem[]>; isLoading: Signal<boolean>; error: Signal<unknown> }

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
  const isRunning = run !== null && run.finished_at === null
  const shownId = useRef<number | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    if (shownId.current !== id) {
      shownId.current = id
      rows.value = []
      isLoading.value = true
    }
    readOn.current = readerOf({ id, isRunning, pageCount, signal: stop.signal }, { rows, isLoading, error })
    readOn.current()
    return () => stop.abort()
  }, [id, isRunning])
  const missing = pageCount.current > rows.value.length
  useEffect(() => {
    if (missing) readOn.current()
  }, [missing, isLoading.value, run?.page_count, run?.finished_at])
  return { rows: rows.value, isLoading: isLoading.value, error: error.value }
}

type Wanted = { id: number; isRunning: boolean; pageCount: { current: number }; signal: AbortSignal }

/** Returns a function that reads the pages after those in the list. It is called after each read of the crawl. */
function readerOf({ id, isRunning, pageCount, signal }: Wanted, shown: Shown): () => void {
  const known = new Set<number>()
  let list: PageItem[] = []
  let offset = 0
  let isReading = false
  /** Whether the crawl was read again since the last request for pages. */
  let isWanted = false

  async function readPart(): Promise<boolean> {
    const limit = offset === 0 ? firstLength : partLength
    const request = { limit, offset, fields: isRunning ? fields.running : fields.ended, signal }
    const { items, next_offset }: Part = await tidemark.crawls.pages(id, request)
    // A page that is stored late shifts the offsets of pages with a greater id, so a page can be read twice.
    const fresh = items.filter(page => !known.has(page.id))
    for (const page of fresh) known.add(page.id)
    offset += items.length
    if (fresh.length > 0) list = [...list, ...fresh]
    // Only a longer list replaces the shown one. So the list of the running crawl stays while the final one is read.
    if (list.length > shown.rows.value.length) shown.rows.value = list
    return next_offset !== null && offset < maxPages
  }

  async function read(): Promise<void> {
    isWanted = true
    if (isReading || offset >= maxPages) return
    isReading = true
    try {
      do isWanted = false
      while ((await readPart()) || (isWanted && known.size < pageCount.current))
      shown.rows.value = list
      shown.error.value = null
    } catch (failure) {
      if (!signal.aborted) shown.error.value = failure
    } finally {
      isReading = false
      if (!signal.aborted) shown.isLoading.value = false
    }
  }
  return () => void read()
}
