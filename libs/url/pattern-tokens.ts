/**
 * Splits a pattern of RE2 syntax into tokens, to weigh it before it is compiled and to locate faults. It never fails:
 * invalid syntax becomes some token, and the parser rejects it.
 */

export type Token = {
  kind: 'quoted' | 'class' | 'flags' | 'open' | 'close' | 'or' | 'repeat' | 'escape' | 'character'
  /** Index of its first character in the pattern. */
  at: number
  text: string
}

/** Returns the tokens of a pattern in order. Joined, their texts are the pattern. */
export function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < pattern.length) {
    const token = tokenAt(pattern, at)
    tokens.push(token)
    at += token.text.length
  }
  return tokens
}

function tokenAt(pattern: string, at: number): Token {
  for (const [kind, syntax] of syntaxes) {
    syntax.lastIndex = at
    const text = syntax.exec(pattern)?.[0]
    if (text) return { kind, at, text }
  }
  return { kind: 'character', at, text: String.fromCodePoint(pattern.codePointAt(at) ?? 0) }
}

/** The first syntax that matches wins. Most also match without their end. */
const syntaxes: [kind: Token['kind'], syntax: RegExp][] = [
  ['quoted', /\\Q.*?(?:\\E|$)/sy],
  ['class', /\[\^?\]?(?:\[:\^?\w*:\]|\\.|[^\]\\])*(?:\]|\\|$)/sy],
  ['flags', /\(\?[a-zA-Z-]*\)/sy],
  ['open', /\((?:\?(?:P?<\w+>|[a-zA-Z-]*:|P?[^\w\s]{1,2}|P)?)?/sy],
  ['close', /\)/sy],
  ['or', /\|/sy],
  ['repeat', /(?:[*+?]|\{\d+(?:,\d*)?\})\??/sy],
  ['escape', /\\(?:x\{[^}]*\}?|[pP]\{[^}]*\}?|[pP].|x..|[0-7]{1,3}|.)?/sy],
]

/** Returns a text in the spelling of normal forms: all characters beyond ASCII are percent-encoded. */
export const asciiOf = (text: string): string =>
  /\P{ASCII}/u.test(text) ? text.toWellFormed().replace(/\P{ASCII}+/gu, encodeURIComponent) : text
