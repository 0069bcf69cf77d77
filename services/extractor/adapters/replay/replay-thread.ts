/**
 * Reads stored pages again, and compares them, on a thread of their own, so that no page of a crawl waits for them.
 * Owners take turns.
 */
import type { Owner } from '@tidemark/bus/fair-line'
import { createThread } from '../../concurrency/thread.ts'
import type { LargeAnswer, LargePageRequest } from '../../handlers/read-large.ts'
import type { Compared, PackedFacts } from '../../handlers/replay/compare-packed.ts'

/** Work of the thread, one piece at a time. */
export type ReplayWork =
  | { type: 'reading'; request: LargePageRequest }
  | { type: 'comparison'; stored: PackedFacts; now: PackedFacts }

export type ReplayThread = AsyncDisposable & {
  /** Rejects with `ThreadTerminated`. */
  read(request: LargePageRequest, owner: Owner): Promise<LargeAnswer>
  /** Rejects with `ThreadTerminated`, and with the errors of `comparePacked`. */
  compare(stored: PackedFacts, now: PackedFacts, owner: Owner): Promise<Compared>
}

/** Time and heap equal the limits for a page of a crawl: every page that a crawl can read can be read again. */
const limits = {
  timeoutMs: 20_000,
  patienceMs: 10_000,
  callerMs: 30_000,
  maxMegabytes: 384,
  maxMegabytesBeside: 512,
}

export function createReplayThread(): ReplayThread {
  const thread = createThread<ReplayWork, unknown>({
    file: new URL('replay-worker.ts', import.meta.url),
    ...limits,
  })
  return {
    read: async (request, owner) =>
      (await thread.request({ type: 'reading', request }, owner)) as LargeAnswer,
    compare: async (stored, now, owner) =>
      (await thread.request({ type: 'comparison', stored, now }, owner)) as Compared,
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}
