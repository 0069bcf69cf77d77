/** Formats results for people. */

/** Returns the lines of a table with a head. Columns of numbers are aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string[] {
  const cells = rows.map(row => row.map(textOf))
  // A table may have more rows than a call can have arguments.
  const widths = head.map((name, n) =>
    cells.reduce((widest, row) => Math.max(widest, row[n]?.length ?? 0), name.length),
  )
  const isNumber = head.map((_, n) => rows.length > 0 && rows.every(row => typeof row[n] === 'number'))
  const line = (row: readonly string[]) =>
    row
      .map((cell, n) => (isNumber[n] ? cell.padStart(widths[n] ?? 0) : cell.padEnd(widths[n] ?? 0)))
      .join('  ')
      .trimEnd()
  return [line(head), ...cells.map(line)]
}

/** Returns one line for each field. */
export const fields = (values: Record<string, unknown>): string[] => {
  const width = Math.max(...Object.keys(values).map(name => name.length))
  return Object.entries(values).map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}`)
}

/** Returns `1 page` or `2 pages`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Control characters of a site must not reach the terminal. */
export const clean = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
  text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '-' : clean(String(value)).replaceAll('\n', ' ')
