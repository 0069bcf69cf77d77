/** Describes the fault of a pattern and its position for the person who wrote it. */
import type { Token } from './pattern-tokens.ts'

/**
 * Returns a sentence about a pattern that did not compile.
 * @param description The parser's name of the fault.
 * @param fragment The part of the pattern that the parser rejected, or empty if it reported none.
 */
export function faultOf(tokens: Token[], description: string, fragment: string): string {
  const fault = faults.find(({ finds }) => finds(description, fragment))
  const words = fault?.words(fragment) ?? description
  const at = fault?.at ? fault.at(tokens) : positionOf(tokens, fragment)
  return `The pattern is not valid: ${words}${at === null ? '' : `, at character ${at + 1}`}.`
}

type Fault = {
  finds: (description: string, fragment: string) => boolean
  words: (fragment: string) => string
  at?: (tokens: Token[]) => number | null
}

const faults: Fault[] = [
  {
    finds: (_, fragment) => /^\(\?<?[=!]/.test(fragment),
    words: () => 'a lookaround, which cannot be searched in linear time',
  },
  {
    finds: (_, fragment) => /^\(\?>/.test(fragment),
    words: () => 'an atomic group, which is not supported',
  },
  {
    finds: (_, fragment) => /^\\(?:[1-9]|k)/.test(fragment),
    words: () => 'a backreference, which cannot be searched in linear time',
  },
  {
    finds: description => description === 'missing closing )',
    words: () => 'a group that is not closed',
    at: unclosedGroup,
  },
  {
    finds: description => description === 'unexpected )',
    words: () => 'a closing bracket without its opening one',
    at: unopenedGroup,
  },
  {
    finds: description => description === 'missing closing ]',
    words: () => 'a character class that is not closed',
  },
  {
    finds: description => description === 'missing argument to repetition operator',
    words: fragment => `a repetition (${fragment}) of nothing`,
  },
  {
    finds: description => description === 'invalid nested repetition operator',
    words: fragment => `a repetition of a repetition (${fragment}); put the inner one into (?:…)`,
  },
  {
    finds: description => description === 'invalid repeat count',
    words: fragment => `a repetition (${fragment}) of more than 1000 times, or one with its bounds reversed`,
  },
  {
    finds: description => description === 'invalid character class range',
    words: fragment => `a character class (${fragment}) that does not exist, or a range that is reversed`,
  },
  {
    finds: description => description === 'invalid escape sequence',
    words: fragment => `an escape (${fragment}) that is not known`,
  },
  {
    finds: description => description === 'trailing backslash at end of expression',
    words: () => 'a backslash that escapes nothing',
    at: tokens => tokens.at(-1)?.at ?? null,
  },
  {
    finds: description => description === 'invalid named capture',
    words: fragment => `a name (${fragment}) that no group can have`,
  },
  {
    finds: description => description === 'duplicate capture group name',
    words: fragment => `a second group of the name ${fragment}`,
  },
  {
    finds: description => description === 'invalid or unsupported Perl syntax',
    words: fragment => `syntax (${fragment}) that is not supported`,
  },
  {
    finds: description => description === 'expression nests too deeply',
    words: () => 'groups nested more than 1000 deep',
    at: () => null,
  },
  {
    finds: description => description === 'expression too large',
    words: () => 'it is too large',
    at: () => null,
  },
]

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
