/** Reads a part of a run again, batch by batch, within bounds of time and length. */
import { Refusal } from '@tidemark/bus/refusal'
import type { Replay, ReplayedPage } from '@tidemark/contracts/http/replay'
import { maxPagesOfBatch, type Replayed, type ReplayPages } from '@tidemark/contracts/rpc/replay'
import { clientLeft } from '../http/domain/problem.ts'
import type { PageToReplay } from './adapters/replay-reads.ts'
import type { Replays } from './adapters/replays.ts'

export type ReplayPart = Pick<
  Replay,
  'items' | 'pages_changed' | 'pages_not_stored' | 'pages_read' | 'pages_unreadable'
> & {
  /** Number of pages of this part. */
  done: number
  warnings: string[]
}

/** After this time, and with this many characters of items, no further batch is requested. */
const limits = { ms: 10_000, characters: 1024 ** 2 }

type Work = Omit<ReplayPages, 'pages'> & { pages: readonly PageToReplay[]; signal: AbortSignal }

/**
 * Returns at least one page if there is any. Throws the `Refusal` of the extractor, and `ApiProblem` when the client has
 * left.
 */
export async function replayPart(replays: Replays, { pages, signal, ...work }: Work): Promise<ReplayPart> {
  const end = performance.now() + limits.ms
  const part = nothing()
  let characters = 0
  while (part.done < pages.length && performance.now() < end && characters < limits.characters) {
    const batch = pages.slice(part.done, part.done + maxPagesOfBatch)
    const answer = await replays({ ...work, pages: batch.map(({ stored }) => stored) }).catch(
      nullIfBusy(part.done),
    )
    if (signal.aborted) throw clientLeft()
    if (answer === null) break
    for (const [n, page] of batch.slice(0, answer.pages.length).entries())
      characters += record(part, page, answer.pages[n] as Replayed)
  }
  return part
}

const nothing = (): ReplayPart => ({
  items: [],
  pages_read: 0,
  pages_changed: 0,
  pages_not_stored: 0,
  pages_unreadable: 0,
  done: 0,
  warnings: [],
})

/** A part that ends early is complete in itself: the client continues at its next offset. */
const nullIfBusy =
  (done: number) =>
  (error: unknown): null => {
    const isBusy =
      error instanceof Refusal && (error.code === 'unavailable' || error.code === 'too_many_requests')
    if (done > 0 && isBusy) return null
    throw error
  }

/** Returns the number of characters of the new item. */
function record(part: ReplayPart, { id, stored: { url } }: PageToReplay, replayed: Replayed): number {
  part.done += 1
  if ('unread' in replayed) {
    if (replayed.unread === 'not_stored') part.pages_not_stored += 1
    else {
      part.pages_unreadable += 1
      part.warnings.push(`page ${id} cannot be read: ${why(replayed.unread)} (${replayed.unread})`)
    }
    return 0
  }
  part.pages_read += 1
  if (replayed.changes.length === 0 && replayed.links === null) return 0
  part.pages_changed += 1
  const item: ReplayedPage = { id, url, ...replayed }
  part.items.push(item)
  return JSON.stringify(item).length
}

const reasons: Record<string, string> = {
  too_large: 'its decoded body exceeds the maximum size of this installation',
  protocol: 'its stored body cannot be decoded',
  other_body: 'its URL was fetched twice, and the stored body is that of the other response',
}

const why = (reason: string): string =>
  (Object.hasOwn(reasons, reason) ? reasons[reason] : undefined) ??
  'reading it exceeded the limit of time or memory, or failed'
