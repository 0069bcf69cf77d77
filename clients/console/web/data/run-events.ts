/**
 * Follows a crawl by server-sent events. Fast crawls have hundreds of events a second, so the service sends a few of each
 * second, and the screen changes once a second at most. More would take processors from a crawl on this machine.
 */
import { batch, type Signal, useSignal } from '@preact/signals'
import type { CrawlEvent, StreamData } from '@tidemark/sdk'
import { useEffect, useRef } from 'preact/hooks'
import { tidemark } from './client.ts'
import { timeFormat } from './formats.ts'

export type TailEvent = {
  id: string
  at: string | null
  what: string
  url: string
  detail: string
  page: number | null
}
export type RunEvents = {
  progress: Signal<StreamData['progress'] | null>
  /** Pages a second over the last ten seconds; null, like `progress`, from an error to the next progress event. */
  rate: Signal<number | null>
  points: Signal<{ label: string; value: number }[]>
  tail: Signal<TailEvent[]>
  isPaused: Signal<boolean>
  error: Signal<unknown>
}

const everyMs = 1000
/** Maximum number of lines in the tail. */
const maxTail = 40
/** Maximum number of pages, and of decisions of each kind, that the service sends for one second of the crawl. */
const max_per_second = 10
/** `admitted` is left out: it names every URL that is found. */
const types = [
  ...[
    'page',
    'progress',
    'end',
    'deferred',
    'skipped',
    'filtered',
    'pruned',
    'duplicated',
    'failed',
    'retried',
  ],
  ...['robots', 'sitemap', 'frontier_filled', 'paused', 'resumed', 'reopened'],
].join(',')
const maxPoints = 120
const rateMs = 10_000

type Followed = {
  isWanted: boolean
  /** Null: the crawl has not ended. */
  finishedAt: string | null
  /** The last result of reading the crawl. Each result is another object. */
  lastRead: unknown
  /** Called when the crawl starts, pauses, resumes or ends. */
  onChange: () => void
}

/** Follows the events from the first one, and again when a crawl that had ended continues or is readable after an error. */
export function useRunEvents(id: number, { isWanted, finishedAt, lastRead, onChange }: Followed): RunEvents {
  const events: RunEvents = {
    progress: useSignal(null),
    rate: useSignal<number | null>(null),
    points: useSignal<{ label: string; value: number }[]>([]),
    tail: useSignal<TailEvent[]>([]),
    isPaused: useSignal(false),
    error: useSignal<unknown>(null),
  }
  const latest = useRef(onChange)
  latest.current = onChange
  const follower = useRef<{ id: number; follow: Follow } | null>(null)
  const continuations = useContinuations(finishedAt)
  const repeats = useRepeats(lastRead, events.error)
  useEffect(() => {
    if (!isWanted) return
    if (follower.current?.id !== id)
      follower.current = { id, follow: followerOf(id, events, () => latest.current()) }
    const stop = new AbortController()
    void follower.current.follow(stop.signal)
    return () => stop.abort()
  }, [id, isWanted, continuations, repeats])
  return events
}

/** Counts how often a crawl that had ended continues, even if it has ended again before it was read. */
function useContinuations(finishedAt: string | null): number {
  const continuations = useRef(0)
  const last = useRef(finishedAt)
  if (last.current !== null && last.current !== finishedAt) continuations.current++
  last.current = finishedAt
  return continuations.current
}

/** Counts the reads of a crawl that succeeded while its events had an error. */
function useRepeats(lastRead: unknown, error: Signal<unknown>): number {
  const repeats = useRef(0)
  const last = useRef(lastRead)
  if (last.current !== lastRead && error.peek() !== null) repeats.current++
  last.current = lastRead
  return repeats.current
}

type Follow = (signal: AbortSignal) => Promise<void>

/** Returns a function that follows a crawl to its end. A later call continues behind the last event. */
export function followerOf(id: number, events: RunEvents, onChange: () => void): Follow {
  const gathered = gather(events, onChange)
  let lastEventId: string | undefined
  return async signal => {
    events.error.value = null
    const timer = setInterval(gathered.show, everyMs)
    try {
      for await (const event of tidemark.crawls.events(id, { types, max_per_second, signal, lastEventId })) {
        lastEventId = event.id
        gathered.take(event)
      }
      // The crawl has ended, so its last events are shown even if the reader paused the display.
      events.isPaused.value = false
      onChange()
    } catch (failure) {
      if (signal.aborted) return
      gathered.interrupt()
      events.error.value = failure
    } finally {
      gathered.show()
      clearInterval(timer)
    }
  }
}

/** Collects events between two changes of the screen. */
function gather(events: RunEvents, onChange: () => void) {
  const pages = new Map<number, number>()
  let progress: StreamData['progress'] | null = null
  let isCurrent = false
  let lastFetched = 0
  const service = serverClock()
  let isChanged = false
  let fresh: TailEvent[] = []
  events.tail.value = []
  events.points.value = []
  events.progress.value = null
  const take = (event: CrawlEvent): void => {
    if (event.event === 'page') {
      const fetchedMs = Date.parse(event.data.fetched_at)
      service.see(fetchedMs)
      lastFetched = Math.floor(fetchedMs / 1000)
    } else if (event.event === 'progress') {
      // The service leaves out most pages of a busy second, so the number of pages comes from the counts of the event.
      const added = event.data.page_count - (progress?.page_count ?? 0)
      if (added > 0) pages.set(lastFetched, (pages.get(lastFetched) ?? 0) + added)
      isChanged ||= progress === null
      progress = event.data
      isCurrent = true
    } else if (event.event === 'decision') isChanged ||= changing.has(event.data.decision)
    fresh.push(...tailOf(event))
    if (fresh.length > maxTail * 4) fresh = fresh.slice(-maxTail)
  }
  const show = (): void => {
    if (isChanged) onChange()
    isChanged = false
    batch(() => {
      events.rate.value = isCurrent ? rateOf(pages, service.now()) : null
      const current = isCurrent ? progress : null
      if (current !== events.progress.value) {
        events.progress.value = current
        events.points.value = pointsOf(pages)
      }
      if (fresh.length === 0 || events.isPaused.value) return
      events.tail.value = [...fresh.reverse(), ...events.tail.value].slice(0, maxTail)
      fresh = []
    })
  }
  const interrupt = (): void => {
    isCurrent = false
  }
  return { take, show, interrupt }
}

const changing = new Set<string>(['paused', 'resumed', 'reopened'])

/** The time of the service, by its newest page and the time since that arrived. The clock of a browser may be wrong. */
function serverClock() {
  let [newestMs, arrivedMs] = [0, 0]
  const see = (fetchedMs: number): void => {
    if (fetchedMs > newestMs) [newestMs, arrivedMs] = [fetchedMs, performance.now()]
  }
  return { see, now: () => newestMs + performance.now() - arrivedMs }
}

function rateOf(pages: ReadonlyMap<number, number>, nowMs: number): number {
  const now = Math.floor(nowMs / 1000)
  const seconds = rateMs / 1000
  return Array.from({ length: seconds }, (_, n) => pages.get(now - n) ?? 0).reduce((a, b) => a + b) / seconds
}

/** Joins seconds to at most 120 steps of equal length, also those without pages. */
function pointsOf(pages: ReadonlyMap<number, number>): { label: string; value: number }[] {
  let [from, to] = [Infinity, -Infinity]
  for (const second of pages.keys()) {
    from = Math.min(from, second)
    to = Math.max(to, second)
  }
  if (!Number.isFinite(from)) return []
  const step = Math.max(1, Math.ceil((to - from + 1) / maxPoints))
  const sums = Array.from({ length: Math.floor((to - from) / step) + 1 }, () => 0)
  for (const [second, value] of pages) {
    const at = Math.floor((second - from) / step)
    sums[at] = (sums[at] ?? 0) + value
  }
  return sums.map((value, n) => ({ label: timeFormat().format(new Date((from + n * step) * 1000)), value }))
}

/** Returns the rows of an event in the tail, at most ten. */
function tailOf({ id, event, data }: CrawlEvent): TailEvent[] {
  if (event === 'page') {
    const { url, status, title, fetched_at, id: page } = data
    return [{ id, at: fetched_at, what: String(status), url, detail: title ?? '', page }]
  }
  if (event !== 'decision' || data.decision === 'admitted') return []
  const what = data.decision
  if (!('pages' in data)) {
    const url = 'url' in data ? data.url : 'origin' in data ? data.origin : ''
    return [{ id, at: null, what, url, detail: detailOf(data, {}), page: null }]
  }
  return data.pages.slice(0, 10).map((page, n) => ({
    id: `${id}.${n}`,
    at: null,
    what,
    url: page.url,
    detail: detailOf(data, page),
    page: null,
  }))
}

function detailOf(data: object, page: object): string {
  const all = { ...data, ...page } as Record<string, unknown>
  // The service may have only a key of a URL that was never on a page.
  const of = URL.canParse(String(all.of)) ? all.of : ''
  const found = all.because ?? all.reason ?? all.verdict ?? all.limit ?? all.pattern ?? of
  return String(found).replaceAll('_', ' ')
}
