/**
 * The text that everything a pattern finds must contain, so that most texts need not be searched at all. It is
 * in lower case, and so must be the text in which it is looked for: patterns may ignore case.
 */
import { asciiOf, type Token } from './pattern-tokens.ts'

/** The longest such text; empty when the pattern requires none, or none that is plain to see. */
export function requiredLiteral(tokens: Token[]): string {
  const runs = ['']
  let depth = 0
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'close') depth--
    if (token.kind === 'flags') continue
    if (depth === 0 && token.kind === 'or') return ''
    const literal = depth === 0 && !isRepeated(tokens, index) ? literalOf(token) : null
    if (literal === null) runs.push('')
    else runs.push(runs.pop() + literal)
    if (token.kind === 'open') depth++
  }
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest)).toLowerCase()
}

/** Flags in between change nothing: `a(?i){0}` repeats the `a`. */
function isRepeated(tokens: Token[], index: number): boolean {
  let next = index + 1
  while (tokens[next]?.kind === 'flags') next++
  return tokens[next]?.kind === 'repeat'
}

/** The one text that a token stands for, or null when it stands for several or none. */
export function literalOf({ kind, text }: Token): string | null {
  if (kind === 'escape') return /^\\[!-/:-@[-`{-~]$/.test(text) ? text.slice(1) : null
  return kind === 'character' && !'.^$'.includes(text) ? asciiOf(text) : null
}
