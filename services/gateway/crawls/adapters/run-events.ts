/** Provides the events of runs to their watchers. Watchers at nearly the same position share one reader. */

import type { Bus } from '@tidemark/bus/connection'
import { storedMessage } from '@tidemark/bus/stored'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { type EventId, isAfter } from '../domain/run-events/id.ts'
import type { EventText } from '../domain/run-events/run-event-texts.ts'
import { Feed } from './run-events-feed.ts'
import type { Sources } from './run-events-source.ts'

export type FollowOptions = {
  /** The last event that the client has; null: none. */
  after: EventId | null
  signal: AbortSignal
  /** An empty list is returned after this time without an event. */
  idleMs: number
}

/** Yields every event of a run after `after`, in order, until the run ends or the signal aborts. */
export type FollowRun = (runId: number, options: FollowOptions) => AsyncGenerator<EventText[]>

/**
 * Maximum number of runs whose end is cached, so that a client that reconnects does not cause the whole run to be read
 * again.
 */
const maxEnds = 10_000

/** Returns whether the run has no event after its end. A client may have reopened it meanwhile. */
async function isStillLast(bus: Bus, runId: number, { sequence }: EventId): Promise<boolean> {
  const last = await storedMessage(bus, streams.runs, { last_by_subj: subjects.run(runId) })
  return last === null || last.seq <= sequence
}

export function openRunEvents(sources: Sources): FollowRun {
  const feeds = new Map<number, Set<Feed>>()
  const ends = new Map<number, EventId>()

  function feedOf(runId: number, after: EventId | null): Feed {
    const ofRun = feeds.get(runId) ?? new Set()
    feeds.set(runId, ofRun)
    // A run may continue after its end, because a client can reopen it.
    const isOpen = ({ failure, end }: Feed) => failure === null && end === null
    const known = [...ofRun].find(feed => isOpen(feed) && feed.hasAllAfter(after))
    if (known) return known
    const feed: Feed = new Feed(sources, runId, () => {
      ofRun.delete(feed)
      if (ofRun.size === 0 && feeds.get(runId) === ofRun) feeds.delete(runId)
    })
    ofRun.add(feed)
    return feed
  }

  function cacheEnd(runId: number, end: EventId): void {
    const [oldest] = ends.keys()
    if (ends.size >= maxEnds && oldest !== undefined) ends.delete(oldest)
    ends.set(runId, end)
  }

  return async function* follow(runId, { after, signal, idleMs }) {
    let last = after
    const end = ends.get(runId)
    if (end && last && !isAfter(end, last) && (await isStillLast(sources.bus, runId, end))) return
    while (!signal.aborted) {
      const feed = feedOf(runId, last)
      using watch = feed.watch(last)
      const leave = () => watch[Symbol.dispose]()
      signal.addEventListener('abort', leave, { once: true })
      for (;;) {
        const events = await watch.next(idleMs)
        if (events === null || signal.aborted) break
        last = events.at(-1) ?? last
        yield events
      }
      signal.removeEventListener('abort', leave)
      if (feed.failure !== null) throw feed.failure
      if (feed.end !== null) cacheEnd(runId, feed.end)
      if (!watch.isLeftBehind) return
    }
  }
}
