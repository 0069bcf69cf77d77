/** Rows of text as RFC 4180 has them, and cells that no spreadsheet takes for a formula. */

export type Cell = string | number | boolean | null

/** One line with its CRLF. Null is an empty cell. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cell).join()}\r\n`

/**
 * Free text that begins like a formula gets a quote in front, which spreadsheets show as text (OWASP, CSV
 * injection). For text that others wrote only: it is no longer what it was.
 */
export const defused = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

function cell(value: Cell): string {
  if (value === null) return ''
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
