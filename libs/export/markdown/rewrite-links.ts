/**
 * Replaces destinations of links and images in Markdown, except in code. It reads the Markdown of `libs/html/markdown`,
 * which has only inline links, and code only between backticks.
 */

/** A backslash with its character, a run of backticks, or the start of a destination. */
const signs = /\\[\s\S]|`+|\]\(/g

/** Returns the Markdown with each destination replaced by the result of `replace`, or kept if that is null. */
export function rewriteLinks(markdown: string, replace: (destination: string) => string | null): string {
  const runs = new CodeRuns(markdown)
  const pieces: string[] = []
  let copied = 0
  signs.lastIndex = 0
  for (let sign = signs.exec(markdown); sign !== null; sign = signs.exec(markdown)) {
    const end = sign.index + sign[0].length
    if (sign[0].startsWith('`')) signs.lastIndex = runs.endOfCode(end, sign[0].length) ?? end
    if (sign[0] !== '](') continue
    const found = destinationAt(markdown, end)
    const replaced = found === null ? null : replace(found.destination)
    if (found === null || replaced === null) continue
    pieces.push(markdown.slice(copied, end), replaced)
    copied = found.end
    signs.lastIndex = found.end
  }
  pieces.push(markdown.slice(copied))
  return pieces.join('')
}

const bracketed = /<((?:[^<>\\\n]|\\.)*)>/y
const plain = /[^\s<\\()][^\s\\()]*(?:(?:\\.|\([^\s\\()]*\))[^\s\\()]*)*/y

/** Returns the destination without its escapes (CommonMark 0.31, 6.3), and the position of its end. */
function destinationAt(markdown: string, start: number): { destination: string; end: number } | null {
  const form = markdown[start] === '<' ? bracketed : plain
  form.lastIndex = start
  const match = form.exec(markdown)
  if (match === null || !/[\s)]/.test(markdown[form.lastIndex] ?? '')) return null
  const end = form.lastIndex
  const destination = (match[1] ?? match[0]).replace(/\\([!-/:-@[-`{-~])/g, '$1')
  return { destination, end }
}

/** The runs of backticks by length. Code ends at the next run of the same length (CommonMark 0.31, 6.1). */
class CodeRuns {
  readonly #ends = new Map<number, number[]>()

  constructor(markdown: string) {
    for (const { 0: run, index } of markdown.matchAll(/`+/g)) {
      const ends = this.#ends.get(run.length)
      if (ends === undefined) this.#ends.set(run.length, [index + run.length])
      else ends.push(index + run.length)
    }
    for (const ends of this.#ends.values()) ends.reverse()
  }

  /** Returns the end of the code that starts here. Call it with ascending starts: earlier ends are dropped. */
  endOfCode(start: number, length: number): number | undefined {
    const ends = this.#ends.get(length) ?? []
    while ((ends.at(-1) ?? Number.POSITIVE_INFINITY) <= start) ends.pop()
    return ends.at(-1)
  }
}
