/**
 * The pages of the run that a fork continues. A page of that run is taken from the store instead of its origin, as long
 * as the store has it. URLs that failed, redirected or were blocked in that run are requested like any other.
 */
import { type StoredAnswer, staleCopy } from '@tidemark/contracts/work/revisit'
import type { Decision } from '../circumstances.ts'
import type { Pending, Running } from '../run.ts'
import { awaitsSitemaps } from '../sitemaps.ts'

type Fork = Pick<Decision, 'run' | 'stored'>

/** Returns the stored response of a waiting page; undefined: the page is requested from its origin. */
export function storedOf({ run, stored }: Fork, key: string): StoredAnswer | undefined {
  const pending = run.pending.get(key)
  if (stored === undefined || pending === undefined) return undefined
  return pending.isStale || pending.answer ? undefined : stored.get(key)
}

/**
 * Returns whether a fork may still get pages from the store: such a page waits for its order, or a sitemap may list
 * more. Limits of requests do not apply to these pages.
 */
export function mayGetStored(fork: Fork): boolean {
  const { run, stored } = fork
  if (stored === undefined) return false
  if (awaitsSitemaps(run)) return true
  for (const [key, { order }] of run.pending)
    if (order === null && storedOf(fork, key) !== undefined) return true
  return false
}

/** Returns whether the order of a page in flight is taken from the store. */
export const isFromStore = ({ order }: Pending): boolean => order?.stored !== undefined

/** Orders a page from its origin, because it could not be taken from the store. */
export function fetchInstead({ emit, at }: Decision, key: string, { attempt }: Pending): void {
  const again = { key, reason: staleCopy, attempt: attempt + 1, notBefore: at }
  emit({ type: 'PagesRetried', data: { pages: [again] } })
}

/** Returns the run whose pages this one takes from the store, or null. */
export const baseOf = ({ settings }: Pick<Running, 'settings'>): number | null => settings.fork?.runId ?? null
