/**
 * A pattern as instructions for a search. `re2js` compiles it, and only ASCII is considered, because normal forms
 * contain nothing else. Characters that all instructions treat alike form one class, which keeps tables small.
 */
import { RE2Set } from 're2js'

export type Program = {
  /** Index of the first instruction. */
  start: number
  /** Operation of each instruction. */
  ops: Uint8Array
  /** Index of the following instruction of each instruction. */
  next: Int32Array
  /**
   * Argument of each instruction. For a fork: its second branch. For a condition: the conditions that must hold. For
   * a read: the row of `reads`.
   */
  args: Int32Array
  /** The characters that a read accepts, as bits: each row has four words of 32 bits. */
  reads: Uint32Array
  /** Class of each character. The end of the text is the class after the last. */
  classOf: Uint8Array
  classes: number
  hasConditions: boolean
}

export const ops = { fail: 0, fork: 1, condition: 2, match: 3, read: 4 } as const

/** The bits of a condition, as `re2js` numbers them. */
export const conditions = {
  beginLine: 1,
  endLine: 2,
  beginText: 4,
  endText: 8,
  wordBoundary: 16,
  noWordBoundary: 32,
} as const

export const asciiSize = 128
const wordsPerRow = asciiSize / 32

/** The part of an instruction of `re2js` that is used here. */
type Instruction = {
  op: number
  out: number
  arg: number
  runes: Int32Array
  matchRune: (rune: number) => boolean
}
const re2Ops = {
  alt: 1,
  altMatch: 2,
  capture: 3,
  emptyWidth: 4,
  match: 6,
  nop: 7,
  rune: 8,
  rune1: 9,
  runeAny: 10,
  runeAnyNotNewline: 11,
}

/** Parses a pattern, and returns a function that compiles it. Throws the errors of `re2js`. */
export function parseProgram(pattern: string): () => Program {
  const set = new RE2Set(RE2Set.UNANCHORED, 0, 0)
  set.add(pattern)
  return () => {
    set.compile()
    return programOf(set.prog.inst as Instruction[], set.prog.start)
  }
}

function programOf(instructions: readonly Instruction[], start: number): Program {
  const rows = createRows()
  const program = {
    start: withoutNops(instructions, start),
    ops: new Uint8Array(instructions.length),
    next: new Int32Array(instructions.length),
    args: new Int32Array(instructions.length),
  }
  for (const [at, instruction] of instructions.entries()) {
    const op = opOf(instruction.op)
    program.ops[at] = op
    program.next[at] = withoutNops(instructions, instruction.out)
    if (op === ops.fork) program.args[at] = withoutNops(instructions, instruction.arg)
    if (op === ops.condition) program.args[at] = instruction.arg
    if (op === ops.read) program.args[at] = rows.rowOf(instruction)
  }
  const hasConditions = program.ops.includes(ops.condition)
  const reads = Uint32Array.from(rows.all.flat())
  return { ...program, reads, hasConditions, ...classesOf(rows.all, hasConditions) }
}

function opOf(op: number): number {
  if (op === re2Ops.alt || op === re2Ops.altMatch) return ops.fork
  if (op === re2Ops.emptyWidth) return ops.condition
  if (op === re2Ops.match) return ops.match
  return op >= re2Ops.rune && op <= re2Ops.runeAnyNotNewline ? ops.read : ops.fail
}

/** Returns the first effective instruction at or after an index. Captures are skipped. */
function withoutNops(instructions: readonly Instruction[], from: number): number {
  let at = from
  for (let steps = 0; steps < instructions.length; steps++) {
    const { op, out } = instructions[at] as Instruction
    if (op !== re2Ops.nop && op !== re2Ops.capture) break
    at = out
  }
  return at
}

/**
 * Collects distinct rows of bits. Copies of a repetition share their ranges, so most rows are found without being
 * computed.
 */
function createRows() {
  const all: number[][] = []
  const byText = new Map<string, number>()
  const byRanges = new Map<Int32Array, Map<number, number>>()

  function add(row: number[]): number {
    const text = row.join()
    const known = byText.get(text)
    if (known !== undefined) return known
    byText.set(text, all.length)
    return all.push(row) - 1
  }

  function rowOf(instruction: Instruction): number {
    const { runes, op, arg } = instruction
    // The accepted characters depend only on these two. The case flag is the only flag that an instruction stores.
    const kind = op * 2 + (arg === 0 ? 0 : 1)
    const ofRanges = byRanges.get(runes) ?? new Map<number, number>()
    byRanges.set(runes, ofRanges)
    const row = ofRanges.get(kind) ?? add(bitsOf(instruction))
    ofRanges.set(kind, row)
    return row
  }

  return { all, rowOf }
}

function bitsOf(instruction: Instruction): number[] {
  const words = Array.from({ length: wordsPerRow }, () => 0)
  for (let character = 0; character < asciiSize; character++) {
    if (reads(instruction, character))
      words[character >> 5] = (words[character >> 5] ?? 0) | (1 << (character & 31))
  }
  return words.map(word => word >>> 0)
}

function reads(instruction: Instruction, character: number): boolean {
  if (instruction.op === re2Ops.runeAny) return true
  if (instruction.op === re2Ops.runeAnyNotNewline) return character !== newline
  return instruction.matchRune(character)
}

const newline = 10

/** Start of the text, a word character, a newline, any other character. */
export const kinds = { begin: 0, word: 1, newline: 2, other: 3 } as const

/** Kind of each character. */
export const kindOf: Uint8Array = Uint8Array.from({ length: asciiSize }, (_, character) => {
  if (character === newline) return kinds.newline
  return /\w/.test(String.fromCharCode(character)) ? kinds.word : kinds.other
})

/**
 * Returns the classes of characters. Two characters share a class if every row accepts both or neither, and if their
 * kinds are equal where kinds matter.
 */
function classesOf(rows: readonly number[][], byKind: boolean): Pick<Program, 'classOf' | 'classes'> {
  const characters = Array.from({ length: asciiSize }, (_, character) => character)
  let classOf = characters.map(character => (byKind ? (kindOf[character] ?? 0) : 0))
  for (const row of rows) {
    const isIn = (character: number) => (((row[character >> 5] ?? 0) >>> (character & 31)) & 1) === 1
    classOf = renumbered(characters.map(at => (classOf[at] ?? 0) * 2 + (isIn(at) ? 1 : 0)))
  }
  const dense = renumbered(classOf)
  return { classOf: Uint8Array.from(dense), classes: Math.max(...dense) + 1 }
}

/** Returns the same partition, numbered from 0. */
function renumbered(numbers: readonly number[]): number[] {
  const known = new Map<number, number>()
  return numbers.map(number => {
    const dense = known.get(number) ?? known.size
    known.set(number, dense)
    return dense
  })
}
