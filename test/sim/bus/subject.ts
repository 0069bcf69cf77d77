/** Returns whether a subject matches a pattern: `*` is one token, `>` at the end is one or more. */
export function matches(pattern: string, subject: string): boolean {
  if (pattern === subject) return true
  if (!pattern.includes('*') && !pattern.endsWith('>')) return false
  const [wanted, tokens] = [pattern.split('.'), subject.split('.')]
  for (const [n, want] of wanted.entries()) {
    const token = tokens[n]
    if (token === undefined) return false
    if (want === '>') return true
    if (want !== '*' && want !== token) return false
  }
  return wanted.length === tokens.length
}
