/** CSV rows (RFC 4180), with cells that no spreadsheet interprets as a formula. */

export type Cell = string | number | boolean | null

/** Returns one line with its CRLF. Null becomes an empty cell. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cell).join()}\r\n`

/**
 * Prefixes free text that begins like a formula with a quote, which spreadsheets show as text (OWASP, CSV injection).
 * Use it for text of third parties only, because it changes the text.
 */
export const defused = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

function cell(value: Cell): string {
  if (value === null) return ''
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
