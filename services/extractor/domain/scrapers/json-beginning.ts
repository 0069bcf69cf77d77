/** The beginning of a JSON document that was cut, as a document: the last value that is not whole is left out. */

const closers: Record<string, string> = { '{': '}', '[': ']' }

/** What was no JSON before is none afterwards. */
export function beginningOfJson(cut: string): string {
  const { lastWhole } = scan(cut)
  const begun = cut.slice(0, lastWhole)
  return begun + scan(begun).open.reverse().join('')
}

/** Where the last value ends that is followed by another, and what has to be closed at the end. */
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
