/** `/v1/usage/ledger`: the bill, unit by unit (an addition to the specification). */
import { type Static, Type } from 'typebox'
import { type Ending, endings } from '../prices.ts'
import { described, Id, orNull, Timestamp } from '../primitives.ts'
import { LedgerKind } from '../usage.ts'
import { formatField, nextOffset, warnings, windowOf } from './lists.ts'

const day = Type.String({ format: 'date', examples: ['2026-01-02'] })

const reasons = (Object.keys(endings) as Ending[]).map(ending => `${ending}: ${endings[ending]}`).join('; ')

const properties = {
  at: Type.String({ ...Timestamp, description: 'Time at which the page was fetched or failed.' }),
  day: Type.String({ format: 'date', description: 'The day (UTC) on which it is billed.' }),
  kind: described(
    LedgerKind,
    'The kind of unit. model_call: a call of the language model, which is not a page and has a daily cap of its own.',
  ),
  units: Type.Integer({ description: '1, or 0 if it cost nothing.' }),
  reason: Type.Union(
    (Object.keys(endings) as Ending[]).map(ending => Type.Literal(ending)),
    { description: `Outcome. ${reasons}.` },
  ),
  operation: Type.String({ description: 'The requested operation, such as crawl, scan or scan_bulk.' }),
  run_id: orNull(Type.Integer({ description: 'The crawl of the page, even if it is deleted.' })),
  page_id: orNull(Type.Integer({ description: 'The page; null: no page was stored.' })),
  request_id: orNull(Type.String({ description: 'X-Request-Id of the request.' })),
  url: orNull(
    Type.String({
      description: 'The URL. Null: the crawl was deleted, and its bill stays.',
    }),
  ),
  attempt: orNull(Type.Integer({ description: 'Number of the attempt that fetched the page.' })),
  cost_usd: Type.Number({ description: 'Cost of the backend beside the unit.' }),
  model: orNull(Type.String({ description: 'The language model; null: the row is a page.' })),
  input_tokens: orNull(Type.Integer({ description: 'Tokens that the model received.' })),
  output_tokens: orNull(Type.Integer({ description: 'Tokens that the model wrote.' })),
}

/** The CSV columns, in order. */
export const ledgerColumns = Object.keys(properties) as (keyof typeof properties)[]

export const LedgerItem = Type.Object(properties, { $id: 'LedgerItem' })
export type LedgerItem = Static<typeof LedgerItem>

export const Ledger = Type.Object(
  {
    items: Type.Array(LedgerItem, { description: 'In the order in which they were written.' }),
    next_offset: nextOffset,
    warnings,
  },
  { $id: 'Ledger' },
)

/** Maximum number of days per request, as for `/v1/usage/history`. */
export const maxLedgerDays = 365

export const LedgerQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      ...day,
      description: `The first day (UTC). Default: the day of \`to\`; with a run or a request, its first day. At most ${maxLedgerDays} days.`,
    }),
  ),
  to: Type.Optional(Type.String({ ...day, description: 'The last day (UTC). Default: today.' })),
  run_id: Type.Optional(Type.Integer({ ...Id, description: 'Only pages of this crawl.', examples: [42] })),
  request_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Only rows of this request.',
      examples: ['d14f099b-2a51-479a-91bd-5653ca4f6f6f'],
    }),
  ),
  kind: Type.Optional(
    Type.Union(LedgerKind.anyOf, { description: 'Only rows of this kind.', examples: ['page'] }),
  ),
  ...windowOf(1000),
  format: formatField,
})
export type LedgerQuery = Static<typeof LedgerQuery>
