/**
 * Matches the patterns of one run on the thread that all runs share, outside of the run's queue of commands, so that
 * commands that end or read the run do not wait. The total time of a run is bounded.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PatternThread } from '@tidemark/url/pattern-thread'
import type { PatternLists } from '@tidemark/url/patterns'
import type { Verdicts } from '../domain/filter.ts'

/** The inputs of a decision about patterns. */
export type Searched = { verdicts: Verdicts; isPatternTimeSpent: boolean }

/** The URLs to match before a decision. */
export type Unsearched = { projectId: number; lists: PatternLists; urls: string[] }

export type PatternSearch = {
  /** Returns the inputs before any match. */
  nothing(): Searched
  /** Returns the earlier verdicts and the new ones; fewer if the time is used up or the match was stopped. */
  search(unsearched: Unsearched, before: Searched): Promise<Searched>
  /** Stops the current match, because it may not be needed any more. */
  stop(): void
}

type Ports = {
  patterns: Pick<PatternThread, 'judge'>
  /** CPU time that a run may spend on its patterns, in milliseconds. */
  patternTimeMs: number
}

/** Milliseconds before a thread that failed to start is started again. */
const afterFaultMs = 2_000

/**
 * Returns the matching of one run.
 * @param signal of the run's keeper: `search` rejects when it aborts
 */
export function patternSearch(
  { patterns, patternTimeMs }: Ports,
  signal: AbortSignal,
  report: (error: unknown) => void,
): PatternSearch {
  let stopping = new AbortController()
  let leftMs = patternTimeMs

  return {
    nothing: () => ({ verdicts: new Map(), isPatternTimeSpent: leftMs === 0 }),
    async search({ projectId, lists, urls }, before) {
      const until = AbortSignal.any([signal, stopping.signal])
      const about = { tenant: projectId, budgetMs: leftMs, signal: until }
      try {
        const { verdicts, spentMs } = await patterns.judge(lists, urls, about)
        const isCut = verdicts.length < urls.length
        leftMs = isCut ? 0 : Math.max(0, leftMs - spentMs)
        const found = verdicts.map((verdict, n) => [urls[n] ?? '', verdict] as const)
        return { verdicts: new Map([...before.verdicts, ...found]), isPatternTimeSpent: isCut }
      } catch (error) {
        signal.throwIfAborted()
        if (until.aborted) return before
        report(error)
        await sleep(afterFaultMs, undefined, { signal: until }).catch(() => undefined)
        return before
      }
    },
    stop() {
      stopping.abort()
      stopping = new AbortController()
    },
  }
}
