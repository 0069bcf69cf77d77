/** Describes the fault of a pattern and its position for the person who wrote it. */
import type { Token } from './pattern-tokens.ts'

/**
 * Returns a sentence about a pattern that did not compile.
 * @param description The parser's name of the fault.
 * @param fragment The part of the pattern that the parser rejected, or empty if it reported none.
 */
export function faultOf(tokens: Token[], description: string, fragment: string): string {
  const syntax = unsupported.find(([form]) => form.test(fragment))?.[1]
  const fault: Fault = syntax === undefined ? (faults[description] ?? {}) : { words: () => syntax }
  const words = fault.words?.(fragment) ?? description
  const at = fault.at ? fault.at(tokens) : positionOf(tokens, fragment)
  return `The pattern is not valid: ${words}${at === null ? '' : `, at character ${at + 1}`}.`
}

/** Syntax that RE2 lacks, whatever name the parser gives the fault. */
const unsupported: readonly (readonly [form: RegExp, words: string])[] = [
  [/^\(\?<?[=!]/, 'a lookaround, which cannot be searched in linear time'],
  [/^\(\?>/, 'an atomic group, which is not supported'],
  [/^\\(?:[1-9]|k)/, 'a backreference, which cannot be searched in linear time'],
]

type Fault = { words?: (fragment: string) => string; at?: (tokens: Token[]) => number | null }

/** Faults by the parser's name. */
const faults: Readonly<Record<string, Fault>> = {
  'missing closing )': { words: () => 'a group that is not closed', at: unclosedGroup },
  'unexpected )': { words: () => 'a closing bracket without its opening one', at: unopenedGroup },
  'missing closing ]': { words: () => 'a character class that is not closed' },
  'missing argument to repetition operator': { words: fragment => `a repetition (${fragment}) of nothing` },
  'invalid nested repetition operator': {
    words: fragment => `a repetition of a repetition (${fragment}); put the inner one into (?:…)`,
  },
  'invalid repeat count': {
    words: fragment => `a repetition (${fragment}) of more than 1000 times, or one with its bounds reversed`,
  },
  'invalid character class range': {
    words: fragment => `a character class (${fragment}) that does not exist, or a range that is reversed`,
  },
  'invalid escape sequence': { words: fragment => `an escape (${fragment}) that is not known` },
  'trailing backslash at end of expression': {
    words: () => 'a backslash that escapes nothing',
    at: tokens => tokens.at(-1)?.at ?? null,
  },
  'invalid named capture': { words: fragment => `a name (${fragment}) that no group can have` },
  'duplicate capture group name': { words: fragment => `a second group of the name ${fragment}` },
  'invalid or unsupported Perl syntax': { words: fragment => `syntax (${fragment}) that is not supported` },
  'expression nests too deeply': { words: () => 'groups nested more than 1000 deep', at: () => null },
  'expression too large': { words: () => 'it is too large', at: () => null },
}

/** Returns the position of the first token that starts with the fragment, else of the fragment's first occurrence. */
function positionOf(tokens: Token[], fragment: string): number | null {
  if (fragment === '') return null
  const pattern = tokens.map(({ text }) => text).join('')
  const at = tokens.find(token => pattern.startsWith(fragment, token.at))?.at ?? pattern.indexOf(fragment)
  return at === -1 ? null : at
}

function unclosedGroup(tokens: Token[]): number | null {
  const open: number[] = []
  for (const { kind, at } of tokens) {
    if (kind === 'open') open.push(at)
    if (kind === 'close') open.pop()
  }
  return open.at(-1) ?? null
}

function unopenedGroup(tokens: Token[]): number | null {
  let depth = 0
  for (const { kind, at } of tokens) {
    if (kind === 'open') depth++
    if (kind === 'close' && depth-- === 0) return at
  }
  return null
}
