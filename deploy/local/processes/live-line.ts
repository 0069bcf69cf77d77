/**
 * Prints a line with the progress of something: rewritten in place on a terminal, and at most every two seconds
 * elsewhere.
 */
export type LiveLine = { show(text: string): void; end(text: string): void }

const quietMs = 2_000

export function liveLine(stream: NodeJS.WriteStream): LiveLine {
  let shown = ''
  let shownAt = 0
  return { show, end: text => stream.write(stream.isTTY ? `\r\x1b[K${text}\n` : `${text}\n`) }

  function show(text: string): void {
    if (text === shown) return
    if (stream.isTTY) stream.write(`\r\x1b[K${text.slice(0, stream.columns - 1)}`)
    else if (Date.now() - shownAt < quietMs) return
    else stream.write(`${text}\n`)
    shown = text
    shownAt = Date.now()
  }
}
