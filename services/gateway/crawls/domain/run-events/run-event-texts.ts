/**
 * Converts the commits of a run to events for clients. The same commits give the same events with the same ids, for any
 * reader at any position. So a run is always converted from its beginning, and unwanted events are skipped.
 */
import type {
  DecisionEvent,
  PageEvent,
  ProgressEvent,
  StreamData,
  StreamType,
} from '@tidemark/contracts/http/events'
import type { RunEvent, RunEventData, SettledPage } from '@tidemark/contracts/run'
import { RunCounts } from './counts.ts'
import { decisionsOf } from './decisions.ts'
import { type EventId, textOfId } from './id.ts'
import { UrlMemory } from './urls.ts'

type Shown = { [T in StreamType]: { type: T; data: StreamData[T] } }[StreamType]

/**
 * One event with its position. `decision` is null for other types; `second` is the time of the commit in seconds since
 * 1970. `text` is its wire form, written at each use, so that events which a stream leaves out cost nothing; `size`
 * estimates its characters.
 */
export type EventText = EventId & {
  type: StreamType
  decision: DecisionEvent['decision'] | null
  second: number
  size: number
  readonly text: string
}

/** A commit of the run, with its size in the stream. `isLast`: no later one is known. */
export type ShownCommit = {
  sequence: number
  second: number
  bytes: number
  events: readonly RunEvent[]
  isLast: boolean
}

/** The events that are read here, with the fields that they need. */
export const needs = {
  RunQueued: ['url'],
  RunStarted: [],
  RunPaused: [],
  RunResumed: [],
  PagesAdmitted: ['pages'],
  PagesDeferred: ['limit', 'pages'],
  PagesSkipped: ['reason', 'pages'],
  PagesFiltered: ['by', 'pages'],
  PagesPruned: ['rule', 'pages'],
  FrontierFilled: ['known'],
  SitemapOrdered: ['key', 'url'],
  SitemapRead: ['url', 'status', 'urls', 'sitemaps', 'cut'],
  SitemapFailed: ['url', 'reason'],
  SitemapRetried: ['key', 'attempt', 'notBefore'],
  RobotsRead: ['origin', 'status', 'verdict'],
  RobotsFailed: ['origin', 'reason'],
  RobotsRetried: ['origin', 'attempt', 'notBefore'],
  PagesSettled: ['pages'],
  PagesDuplicated: ['pages'],
  PagesRetried: ['pages'],
  PagesFailed: ['pages'],
  RunFinished: ['status', 'stopReason', 'errorMessage', 'errorReason', 'totals'],
  RunReopened: ['retried'],
  RunDeleted: [],
} as const

export class RunEventTexts {
  readonly #counts = new RunCounts()
  readonly #urls = new UrlMemory()
  #progress = this.#counts.progress
  #isOver = false

  /** Whether the run has ended. No events follow then. */
  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Returns the events of the next commit: pages and decisions in order, then the counts if they changed, then the end. An
   * end that is not the last commit is left out, because the run was reopened.
   */
  next({ sequence, second, bytes, events, isLast }: ShownCommit): EventText[] {
    if (this.#isOver) return []
    for (const event of events) this.#counts.apply(event)
    const shown: Shown[] = events.flatMap(event => this.#eventsOf(event))
    const { progress } = this.#counts
    if (!isSame(progress, this.#progress)) shown.push({ type: 'progress', data: progress })
    this.#progress = progress
    const end = isLast ? events.map(endOf).find(end => end !== null) : undefined
    if (end) shown.push(end)
    this.#isOver = end !== undefined
    const size = Math.ceil(bytes / shown.length)
    return shown.map(({ type, data }, index) => ({
      sequence,
      index,
      second,
      type,
      decision: type === 'decision' ? data.decision : null,
      size,
      get text() {
        return textOf(type, data, { sequence, index })
      },
    }))
  }

  #eventsOf(event: RunEvent): Shown[] {
    if (event.type === 'PagesSettled') {
      return event.data.pages.map(page => ({ type: 'page', data: pageOf(page) }))
    }
    return decisionsOf(event, this.#urls).map(data => ({ type: 'decision', data }))
  }
}

const isSame = (one: ProgressEvent, other: ProgressEvent): boolean =>
  one.page_count === other.page_count &&
  one.error_count === other.error_count &&
  one.pending === other.pending &&
  one.discovered === other.discovered

/** Returns the event as text. JSON contains no line breaks, so its data is one line. */
const textOf = (type: StreamType, data: object, id: EventId): string =>
  `id: ${textOfId(id)}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`

const pageOf = ({ id, url, status, bytes, title, depth, fetchedAt }: SettledPage): PageEvent => ({
  id,
  url,
  status,
  bytes,
  title,
  depth,
  fetched_at: fetchedAt,
})

function endOf(event: RunEvent): Shown | null {
  if (event.type === 'RunFinished') return { type: 'end', data: finished(event.data) }
  if (event.type !== 'RunDeleted') return null
  return { type: 'end', data: { status: 'deleted', stop_reason: null, error_message: null, totals: null } }
}

function finished({
  status,
  stopReason,
  errorMessage,
  errorReason,
  totals,
}: RunEventData<'RunFinished'>): StreamData['end'] {
  const { discovered, fetched, failed, skipped, duplicate, notReached, pending } = totals
  return {
    status,
    stop_reason: stopReason,
    error_message: errorMessage,
    ...(errorReason !== undefined && { error_reason: errorReason }),
    totals: { discovered, fetched, failed, skipped, duplicate, not_reached: notReached, pending },
  }
}
