/**
 * The tables of one pattern, which cache the states that searches compute, up to a limit. They form a deterministic
 * automaton. Each of its states is the set of instructions that are possible next.
 */
import { asciiSize, conditions, kindOf, kinds, ops, type Program } from './pattern-program.ts'

/** Remaining steps before a pause. A step takes a few nanoseconds. */
export type Steps = { left: number }

/** Entries of a table that are not states: not computed yet, a match, and no match is possible any more. */
export const unknown = -1
export const found = -2
export const never = -3

/** Approximate bytes of a state without its tables. */
const bytesPerState = 200
/** The result of `stateOf` for a set that the tables do not store. */
export const notCached = -1
export const endOfText = asciiSize
const maxRound = 0x7fffffff
/** Steps that sorting a set costs for each of its entries. Sets are sorted so that equal ones are found. */
const sortingStepsPerEntry = 4

/** The tables of one pattern. All its searches share them. */
export class Automaton {
  readonly #program: Program
  /**
   * Arrays by state: the possible next instructions, the kind of the previous character, and the next state for each
   * class.
   */
  readonly #sets: Int32Array[] = []
  readonly #kinds: number[] = []
  readonly tables: Int32Array[] = []
  readonly #known = new Map<number, number[]>()
  readonly #seen: Int32Array
  readonly #kept: Int32Array
  readonly #stack: Int32Array
  /** The set that the last advance reached, and the kind of its character. */
  readonly reached: Int32Array
  reachedKind: number
  /** Whether a match can start only at the beginning of the text, so that an empty set stays empty. */
  readonly #isAnchored: boolean
  #round = 0
  #memory: number

  /** @param memory Approximate maximum bytes of the tables. */
  constructor(program: Program, memory: number) {
    const size = program.ops.length
    this.#program = program
    this.#memory = memory
    this.#seen = new Int32Array(size)
    this.#kept = new Int32Array(size)
    // Each instruction is pushed at most twice for each instruction that leads to it, and a fork leads to two.
    this.#stack = new Int32Array(3 * size + 2)
    this.reached = new Int32Array(size)
    this.#isAnchored = !this.#beginsLater()
    this.reachedKind = program.hasConditions ? kinds.begin : kinds.other
    this.#add(0)
  }

  get program(): Program {
    return this.#program
  }

  setOf(state: number): Int32Array {
    return this.#sets[state] as Int32Array
  }

  kindOf(state: number): number {
    return this.#kinds[state] as number
  }

  /**
   * Advances a set by a character, or by the end of the text. Stores the next set in `reached` and returns its size,
   * or returns `found`, or `never` if no match is possible any more.
   */
  advance(set: Int32Array, size: number, kind: number, character: number, steps: Steps): number {
    const { ops: opOf, next, args, reads, start, hasConditions } = this.#program
    const seen = this.#seen
    const kept = this.#kept
    const stack = this.#stack
    const reached = this.reached
    const holds = hasConditions ? conditionsAt(kind, character) : 0
    const word = character >> 5
    const bit = character & 31
    const round = this.#nextRound()
    let count = 0
    let walked = 0
    for (let from = -1; from < size; from++) {
      stack[0] = from < 0 ? start : (set[from] as number)
      for (let top = 1; top > 0; ) {
        const at = stack[--top] as number
        if (seen[at] === round) continue
        seen[at] = round
        walked++
        const op = opOf[at] as number
        if (op === ops.read) {
          if (character === endOfText) continue
          if ((((reads[(args[at] as number) * 4 + word] as number) >>> bit) & 1) === 0) continue
          const to = next[at] as number
          if (kept[to] === round) continue
          kept[to] = round
          reached[count++] = to
        } else if (op === ops.fork) {
          stack[top++] = args[at] as number
          stack[top++] = next[at] as number
        } else if (op === ops.condition) {
          if (((args[at] as number) & ~holds) === 0) stack[top++] = next[at] as number
        } else if (op === ops.match) {
          steps.left -= walked
          return found
        }
      }
    }
    steps.left -= walked + size + 1
    this.reachedKind = hasConditions ? (kindOf[character] as number) : kinds.other
    return character === endOfText || (count === 0 && this.#isAnchored) ? never : count
  }

  /**
   * Returns the state of the set that was reached last. An unknown set becomes a new state if memory allows it, else
   * the result is `notCached`.
   */
  stateOf(size: number, steps: Steps): number {
    steps.left -= sortingStepsPerEntry * size
    this.reached.subarray(0, size).sort()
    const hash = this.#hashOf(size)
    const alike = this.#known.get(hash)
    const known = alike?.find(state => this.#isReached(state, size))
    return known ?? this.#add(size, hash)
  }

  /**
   * Returns the next round number, which marks the instructions that were seen in a round. The marks are reset before
   * the number overflows.
   */
  #nextRound(): number {
    if (this.#round === maxRound) {
      this.#seen.fill(0)
      this.#kept.fill(0)
      this.#round = 0
    }
    return ++this.#round
  }

  #add(size: number, hash = this.#hashOf(size)): number {
    const { classes } = this.#program
    const bytes = 4 * (size + classes + 1) + bytesPerState
    // The first state is always created, because each search starts with it.
    if (bytes > this.#memory && this.tables.length > 0) return notCached
    this.#memory -= bytes
    const state = this.tables.push(new Int32Array(classes + 1).fill(unknown)) - 1
    this.#sets.push(this.reached.slice(0, size))
    this.#kinds.push(this.reachedKind)
    const alike = this.#known.get(hash)
    if (alike) alike.push(state)
    else this.#known.set(hash, [state])
    return state
  }

  #hashOf(size: number): number {
    let hash = this.reachedKind
    for (let at = 0; at < size; at++) hash = Math.imul(hash ^ (this.reached[at] as number), 16_777_619)
    return hash
  }

  #isReached(state: number, size: number): boolean {
    const set = this.#sets[state] as Int32Array
    if (set.length !== size || this.#kinds[state] !== this.reachedKind) return false
    return set.every((at, n) => at === this.reached[n])
  }

  /**
   * Returns whether the pattern can read or match a character after the beginning of the text, under any conditions.
   */
  #beginsLater(): boolean {
    const { ops: opOf, next, args, start } = this.#program
    const seen = new Set<number>()
    const stack = [start]
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (seen.has(at)) continue
      seen.add(at)
      const [op, to, arg] = [opOf[at], next[at] as number, args[at] as number]
      if (op === ops.read || op === ops.match) return true
      if (op === ops.fork) stack.push(to, arg)
      if (op === ops.condition && (arg & conditions.beginText) === 0) stack.push(to)
    }
    return false
  }
}

/** Returns the conditions that hold between two characters. */
function conditionsAt(before: number, character: number): number {
  const after = character === endOfText ? kinds.begin : (kindOf[character] as number)
  let holds =
    (before === kinds.word) === (after === kinds.word) ? conditions.noWordBoundary : conditions.wordBoundary
  if (before === kinds.begin) holds |= conditions.beginText | conditions.beginLine
  if (before === kinds.newline) holds |= conditions.beginLine
  if (character === endOfText) holds |= conditions.endText | conditions.endLine
  if (after === kinds.newline) holds |= conditions.endLine
  return holds
}
