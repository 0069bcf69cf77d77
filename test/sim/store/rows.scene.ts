/** Brings rows of the simulated store and of Postgres into one form, as far as the simulated tables have columns. */
import type { Row } from './tables.ts'

const dayMs = 86_400_000
const time = /(?:_at|_to|^until|_until)$/

/** Returns the texts of rows with these columns. */
export const textsOf = (rows: readonly Row[], columns: readonly string[]): string[] =>
  rows.map(row =>
    columns.map(column => `${column} ${JSON.stringify(plainOf(column, row[column]))}`).join(', '),
  )

function plainOf(column: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (column === 'facts' && typeof value === 'string') return sorted(JSON.parse(value))
  if (time.test(column)) return timeOf(value)
  if (column === 'day' && typeof value === 'number') return new Date(value * dayMs).toISOString().slice(0, 10)
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  return sorted(value)
}

/** Postgres has an order of its own for the names in JSON. */
function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, part]) => [name, sorted(part)]))
}

function timeOf(value: unknown): string {
  if (value === '-infinity') return String(Number.NEGATIVE_INFINITY)
  return String(typeof value === 'number' ? value : new Date(value as string | Date).getTime())
}
