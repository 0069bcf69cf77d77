/** A list of failed URLs as text, one line each. */
import { errorColumns, type RunError } from '@tidemark/contracts/http/errors'
import { csvLine, defused } from '../../http/domain/csv.ts'
import type { ListFormat } from '../../http/domain/list-format.ts'

/** The header line first, where the format has one. */
export async function* errorRows(
  format: Exclude<ListFormat, 'json'>,
  errors: readonly RunError[],
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(errorColumns)
  if (errors.length > 0) yield errors.map(format === 'csv' ? csvOf : jsonLine).join('')
}

const jsonLine = (error: RunError): string => `${JSON.stringify(error)}\n`

const csvOf = (error: RunError): string =>
  csvLine(errorColumns.map(column => (column === 'reason' ? defused(error.reason) : error[column])))
