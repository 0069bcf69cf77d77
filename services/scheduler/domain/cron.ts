/**
 * Parses schedules of crontab(5), which have five fields. Everything outside that grammar is rejected: seconds,
 * `@daily`, `L`, `#`.
 */
import { BadCron, type Field, type FieldSpec, parseField } from './cron-field.ts'

export { BadCron } from './cron-field.ts'

export type Schedule = { minute: Field; hour: Field; dayOfMonth: Field; month: Field; dayOfWeek: Field }

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const specs: [keyof Schedule, FieldSpec][] = [
  ['minute', { name: 'minute', first: 0, last: 59, names: [] }],
  ['hour', { name: 'hour', first: 0, last: 23, names: [] }],
  ['dayOfMonth', { name: 'day of month', first: 1, last: 31, names: [] }],
  ['month', { name: 'month', first: 1, last: 12, names: months }],
  ['dayOfWeek', { name: 'day of week', first: 0, last: 7, names: days }],
]

/**
 * Reads a schedule such as `0 6 * * mon-fri`. In the day of week both 0 and 7 are Sunday.
 * @throws BadCron for anything that crontab(5) does not describe
 */
export function parseCron(text: string): Schedule {
  const fields = text.split(/[ \t]+/).filter(field => field !== '')
  if (fields.length !== specs.length) {
    const fieldNames = specs.map(([, { name }]) => name).join(', ')
    throw new BadCron(`A schedule has five fields (${fieldNames}); this one has ${fields.length}.`)
  }
  const parsed = specs.map(([field, spec], n) => [field, parseField(fields[n] ?? '', spec)])
  return Object.fromEntries(parsed) as Schedule
}
