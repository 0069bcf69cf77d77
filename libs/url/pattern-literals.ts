/**
 * Finds the text that all matches of a pattern contain, so that most addresses need no search. It is in lower case,
 * because patterns may ignore case. The searched text must be in lower case too.
 */
import { asciiOf, type Token } from './pattern-tokens.ts'

/** Returns the longest required text, or the empty string if there is no obvious one. */
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

/** Returns whether a token is repeated. Flags in between have no effect: `a(?i){0}` repeats the `a`. */
function isRepeated(tokens: Token[], index: number): boolean {
  let next = index + 1
  while (tokens[next]?.kind === 'flags') next++
  return tokens[next]?.kind === 'repeat'
}

/** Returns the only text that a token matches, or null if it matches several or none. */
export function literalOf({ kind, text }: Token): string | null {
  if (kind === 'escape') return /^\\[!-/:-@[-`{-~]$/.test(text) ? text.slice(1) : null
  return kind === 'character' && !'.^$'.includes(text) ? asciiOf(text) : null
}
