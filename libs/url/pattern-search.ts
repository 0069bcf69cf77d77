/**
 * Searches a text for a pattern in time linear in the text, and in slices: the caller limits the steps before a
 * pause, and the next call continues. Computed states are cached in tables up to a limit. Beyond it, the search
 * continues without tables, more slowly but still in linear time.
 */
import { type Automaton, endOfText, found, never, notCached, type Steps, unknown } from './pattern-tables.ts'

/**
 * The search of one text. It follows the tables from state to state until the automaton stores no further state. From
 * then on it is without tables: `#state` is `notCached`, and the set of instructions is kept here.
 */
export class Search {
  readonly #automaton: Automaton
  readonly #text: string
  /** Position of the next character. */
  #at = 0
  /** State of the tables; `notCached` without tables. */
  #state = 0
  /** The instructions that are possible next: the first `#size`. Valid without tables only, like `#size` and `#kind`. */
  #set: Int32Array | null = null
  #size = 0
  /** Kind of the previous character. */
  #kind = 0

  constructor(automaton: Automaton, text: string) {
    this.#automaton = automaton
    this.#text = text
  }

  /** Returns whether the pattern is found. undefined: the steps ran out, and the caller calls again. */
  resume(steps: Steps): boolean | undefined {
    while (steps.left > 0) {
      const isWithoutTables = this.#state === notCached
      const result = isWithoutTables ? this.#advanceWithoutTables(steps) : this.#followTables(steps)
      if (result !== undefined) return result
    }
    return undefined
  }

  /** Follows the tables until an entry is missing or the steps run out. */
  #followTables(steps: Steps): boolean | undefined {
    const { tables, program } = this.#automaton
    const { classOf, classes } = program
    const text = this.#text
    const from = this.#at
    const end = Math.min(text.length, from + steps.left)
    let at = from
    let state = this.#state
    let next = unknown
    for (;;) {
      const table = tables[state] as Int32Array
      next = table[at < text.length ? (classOf[text.charCodeAt(at) & 127] as number) : classes] as number
      if (next < 0) break
      state = next
      at++
      if (at >= end && at < text.length) break
    }
    this.#state = state
    this.#at = at
    steps.left -= next < 0 ? at - from + 1 : at - from
    if (next >= 0) return undefined
    return next === unknown ? this.#learn(steps) : next === found
  }

  /** Computes one entry of the tables, and follows it. */
  #learn(steps: Steps): boolean | undefined {
    const automaton = this.#automaton
    const state = this.#state
    const own = automaton.setOf(state)
    const character = this.#nextCharacter()
    const reached = automaton.advance(own, own.length, automaton.kindOf(state), character, steps)
    const next = reached < 0 ? reached : automaton.stateOf(reached, steps)
    if (reached >= 0 && next === notCached) this.#keepReached(reached)
    else {
      const { classOf, classes } = automaton.program
      const entry = character === endOfText ? classes : (classOf[character] as number)
      ;(automaton.tables[state] as Int32Array)[entry] = next
    }
    if (next === found || next === never) return next === found
    this.#state = next
    this.#at++
    return undefined
  }

  /** Copies the set that the automaton reached, because its other searches overwrite it. */
  #keepReached(size: number): void {
    this.#set ??= new Int32Array(this.#automaton.program.ops.length)
    this.#set.set(this.#automaton.reached.subarray(0, size))
    this.#size = size
    this.#kind = this.#automaton.reachedKind
  }

  #advanceWithoutTables(steps: Steps): boolean | undefined {
    const set = this.#set as Int32Array
    const reached = this.#automaton.advance(set, this.#size, this.#kind, this.#nextCharacter(), steps)
    if (reached < 0) return reached === found
    this.#keepReached(reached)
    this.#at++
    return undefined
  }

  #nextCharacter(): number {
    return this.#at < this.#text.length ? this.#text.charCodeAt(this.#at) & 127 : endOfText
  }
}
