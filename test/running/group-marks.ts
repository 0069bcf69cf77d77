/** Comments in the TAP of several files that run in one process. */

/** The cost of a file, with times in seconds. */
export type Ended = { seconds: number; cpu: number }
export type Mark = { begins: string } | { ended: Ended }

const begin = 'file begins: '
const end = 'file ended: '

export const groupMarks = {
  begin: (file: string): string => begin + file,
  end: (ended: Ended): string => end + JSON.stringify(ended),

  /** The mark in a line of TAP, or null. */
  in(line: string): Mark | null {
    if (line.startsWith(`# ${begin}`)) return { begins: line.slice(begin.length + 2) }
    if (line.startsWith(`# ${end}`)) return { ended: JSON.parse(line.slice(end.length + 2)) }
    return null
  },
}
