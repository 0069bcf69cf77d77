/**
 * Keys that were found, remembered for a moment. Those that belong to somebody and those that nobody knows are
 * remembered apart, and few unknown ones are looked up at a time: whoever guesses keys neither makes us forget those
 * who know theirs nor makes them wait.
 */
import type { KeyView } from '@tidemark/contracts/ask/accounts'
import { ApiProblem } from '../domain/problem.ts'
import type { FindKey } from './keys.ts'

const rememberMs = 3_000
/** Shorter, for a key may be made at any moment. */
const rememberUnknownMs = 1_000
const mostRemembered = 10_000
const mostLookUps = 8
/** So many wait for their turn to be looked up: more than a gateway meets that has just started. */
const mostWaiting = 64

type Remembered = { key: Promise<KeyView | null>; until: number }

/**
 * Each prefix is looked up once at a time, however many ask for it; throws `ApiProblem` (`unavailable`) where too many
 * that nobody has heard of wait already. `forget` is for whoever hears that keys have changed: what is known then is
 * looked up again, which never waits.
 */
export function rememberKeys(find: FindKey, now: () => number = () => performance.now()) {
  const known = new Map<string, Remembered>()
  const unknown = new Map<string, Remembered>()
  let changes = 0
  const inTurn = turns(mostLookUps, mostWaiting)

  function lookUp(prefix: string, before: Remembered | undefined): Promise<KeyView | null> {
    const entry = { key: before ? find(prefix) : inTurn(() => find(prefix)), until: now() + rememberMs }
    // Meanwhile it stays where it is: known keys that are looked up again must not meet the bound of unknown ones.
    keep(before ? known : unknown, prefix, entry)
    const asOf = changes
    entry.key.then(
      key => {
        const [right, wrong] = key === null ? [unknown, known] : [known, unknown]
        if (key === null) entry.until = Math.min(entry.until, now() + rememberUnknownMs)
        if (asOf !== changes) entry.until = 0
        wrong.delete(prefix)
        keep(right, prefix, entry)
      },
      () => {
        if (before) keep(known, prefix, { ...before, until: 0 })
        else unknown.delete(prefix)
      },
    )
    return entry.key
  }

  const findKey: FindKey = prefix => {
    const before = known.get(prefix)
    const last = before ?? unknown.get(prefix)
    return last !== undefined && last.until > now() ? last.key : lookUp(prefix, before)
  }

  function forget(): void {
    changes++
    for (const entry of known.values()) entry.until = 0
    unknown.clear()
  }
  return { findKey, forget }
}

/** The youngest stand last. */
function keep(remembered: Map<string, Remembered>, prefix: string, entry: Remembered): void {
  remembered.delete(prefix)
  const [oldest] = remembered.keys()
  if (remembered.size >= mostRemembered && oldest !== undefined) remembered.delete(oldest)
  remembered.set(prefix, entry)
}

/** Does so many at once, in the order in which they came; rejects at once where too many wait. */
function turns(most: number, mostInLine: number) {
  const line: (() => void)[] = []
  let underWay = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (underWay >= most) {
      if (line.length >= mostInLine) throw new ApiProblem('unavailable')
      await new Promise<void>(resolve => line.push(resolve))
    } else underWay++
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next) next()
      else underWay--
    }
  }
}
