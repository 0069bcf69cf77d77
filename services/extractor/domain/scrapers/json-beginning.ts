/** Completes a truncated JSON document. */

const closers: Record<string, string> = { '{': '}', '[': ']' }

/** Drops the last value, which may be incomplete, and closes the open brackets. Invalid JSON stays invalid. */
export function beginningOfJson(cut: string): string {
  const { lastWhole } = scan(cut)
  const begun = cut.slice(0, lastWhole)
  return begun + scan(begun).open.reverse().join('')
}

/** Finds the end of the last complete value, and the brackets that are open there. */
function scan(text: string): { lastWhole: number; open: string[] } {
  const open: string[] = []
  let lastWhole = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    const closer = closers[character]
    if (character === '"') at = endOfString(text, at)
    else if (closer !== undefined) open.push(closer)
    else if (character === ',') lastWhole = at
    else if (character === open.at(-1)) open.pop()
  }
  return { lastWhole, open }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') return at
    if (character === '\\') at++
  }
  return text.length
}
