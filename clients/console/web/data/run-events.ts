/**
 * Follows a crawl by server-sent events. Fast crawls send hundreds of events a second, so the screen changes once a second
 * at most, and only counts and the newest events are kept. More changes would take processors from a crawl on this machine.
 */
import { type Signal, useSignal } from '@preact/signals'
import type { CrawlEvent, StreamData } from '@tidemark/sdk'
import { useEffect } from 'preact/hooks'
import { tidemark } from './client.ts'

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
  /** Pages a second over the last ten seconds. */
  rate: Signal<number>
  points: Signal<{ label: string; value: number }[]>
  tail: Signal<TailEvent[]>
  isPaused: Signal<boolean>
  error: Signal<unknown>
}

const everyMs = 1000
const maxTail = 200
const maxPoints = 120
const rateMs = 10_000

/** Follows the events from the first one. `onEnd` is called after the last one. */
export function useRunEvents(id: number, isWanted: boolean, onEnd: () => void): RunEvents {
  const events: RunEvents = {
    progress: useSignal(null),
    rate: useSignal(0),
    points: useSignal<{ label: string; value: number }[]>([]),
    tail: useSignal<TailEvent[]>([]),
    isPaused: useSignal(false),
    error: useSignal<unknown>(null),
  }
  useEffect(() => {
    if (!isWanted) return
    const stop = new AbortController()
    const gathered = gather(events)
    const timer = setInterval(gathered.show, everyMs)
    const follow = async () => {
      try {
        for await (const event of tidemark.crawls.events(id, { signal: stop.signal })) gathered.take(event)
        onEnd()
      } catch (failure) {
        if (!stop.signal.aborted) events.error.value = failure
      } finally {
        gathered.show()
        clearInterval(timer)
      }
    }
    void follow()
    return () => {
      stop.abort()
      clearInterval(timer)
    }
  }, [id, isWanted])
  return events
}

/** Collects events between two changes of the screen. */
function gather(events: RunEvents) {
  const pages = new Map<number, number>()
  let progress: StreamData['progress'] | null = null
  let fresh: TailEvent[] = []
  let recent: number[] = []
  events.tail.value = []
  const take = (event: CrawlEvent): void => {
    if (event.event === 'progress') progress = event.data
    else if (event.event === 'page') {
      const second = Math.floor(Date.parse(event.data.fetched_at) / 1000)
      pages.set(second, (pages.get(second) ?? 0) + 1)
      recent.push(Date.parse(event.data.fetched_at))
    }
    fresh.push(...tailOf(event))
    if (fresh.length > maxTail * 4) fresh = fresh.slice(-maxTail)
  }
  const show = (): void => {
    const since = Date.now() - rateMs
    recent = recent.filter(at => at > since)
    events.rate.value = recent.length / (rateMs / 1000)
    if (progress !== null) events.progress.value = progress
    if (fresh.length === 0) return
    events.points.value = pointsOf(pages)
    if (events.isPaused.value) return
    events.tail.value = [...fresh.reverse(), ...events.tail.value].slice(0, maxTail)
    fresh = []
  }
  return { take, show }
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** Joins seconds to at most 120 steps of equal length, also those without pages. */
function pointsOf(pages: ReadonlyMap<number, number>): { label: string; value: number }[] {
  const seconds = [...pages.keys()]
  const from = Math.min(...seconds)
  const to = Math.max(...seconds)
  if (!Number.isFinite(from)) return []
  const step = Math.max(1, Math.ceil((to - from + 1) / maxPoints))
  const sums = Array.from({ length: Math.floor((to - from) / step) + 1 }, () => 0)
  for (const [second, value] of pages) {
    const at = Math.floor((second - from) / step)
    sums[at] = (sums[at] ?? 0) + value
  }
  return sums.map((value, n) => ({ label: clock.format(new Date((from + n * step) * 1000)), value }))
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
  const found = all.because ?? all.reason ?? all.verdict ?? all.limit ?? all.pattern ?? all.of ?? ''
  return String(found).replaceAll('_', ' ')
}
