/**
 * Searches a text for a pattern in time linear in the text, and in slices: the caller limits the steps before a
 * pause, and the next call continues. Computed states are cached in tables up to a limit. Beyond it, the search
 * continues without tables, more slowly but still in linear time.
 */
import { type Automaton, endOfText, found, never, notCached, type Steps, unknown } from './pattern-tables.ts'

export type Search = {
  /** Returns whether the pattern is found. undefined: the steps ran out, and the caller calls again. */
  resume(steps: Steps): boolean | undefined
}

/** Starts the search of one text. */
export function beginSearch(automaton: Automaton, text: string): Search {
  const { classOf, classes, ops: all } = automaton.program
  const { tables } = automaton
  let at = 0
  let state = 0
  /** The current set of instructions, used while no table covers it. */
  let set: Int32Array | null = null
  let [size, kind] = [0, 0]

  return {
    resume(steps) {
      while (steps.left > 0) {
        const result = state === notCached ? advanceWithoutTables(steps) : followTables(steps)
        if (result !== undefined) return result
      }
      return undefined
    },
  }

  /** Follows the tables until an entry is missing or the steps run out. */
  function followTables(steps: Steps): boolean | undefined {
    const end = Math.min(text.length, at + steps.left)
    const from = at
    let to = state
    for (;;) {
      const table = tables[to] as Int32Array
      const next = table[
        at < text.length ? (classOf[text.charCodeAt(at) & 127] as number) : classes
      ] as number
      if (next < 0) {
        state = to
        steps.left -= at - from + 1
        return next === unknown ? learn(steps) : next === found
      }
      to = next
      at++
      if (at >= end && at < text.length) break
    }
    state = to
    steps.left -= at - from
    return undefined
  }

  /** Computes one entry of the tables, and follows it. */
  function learn(steps: Steps): boolean | undefined {
    const own = automaton.setOf(state)
    const character = characterAt(at)
    const reached = automaton.advance(own, own.length, automaton.kindOf(state), character, steps)
    const next = reached < 0 ? reached : automaton.stateOf(reached, steps)
    if (reached >= 0 && next === notCached) leaveTables(reached)
    else
      (tables[state] as Int32Array)[character === endOfText ? classes : (classOf[character] as number)] = next
    if (next === found || next === never) return next === found
    state = next
    at++
    return undefined
  }

  function leaveTables(reached: number): void {
    set ??= new Int32Array(all.length)
    set.set(automaton.reached.subarray(0, reached))
    size = reached
    kind = automaton.reachedKind
  }

  function advanceWithoutTables(steps: Steps): boolean | undefined {
    const reached = automaton.advance(set as Int32Array, size, kind, characterAt(at), steps)
    if (reached < 0) return reached === found
    leaveTables(reached)
    at++
    return undefined
  }

  function characterAt(index: number): number {
    return index < text.length ? text.charCodeAt(index) & 127 : endOfText
  }
}
