/** `/v1/usage/ledger`: the bill, unit by unit (an addition to the specification). */
import { type Static, Type } from 'typebox'
import { type Ending, endings } from '../prices.ts'
import { Id, orNull, said, Timestamp } from '../primitives.ts'
import { UnitKind } from '../usage.ts'
import { nextOffset, windowOf } from './lists.ts'

const day = Type.String({ format: 'date', examples: ['2026-01-02'] })

const reasons = (Object.keys(endings) as Ending[]).map(ending => `${ending}: ${endings[ending]}`).join('; ')

const properties = {
  at: Type.String({ ...Timestamp, description: 'When it was had, or found not to be.' }),
  day: Type.String({ format: 'date', description: 'The day (UTC) on which it counts.' }),
  kind: said(UnitKind, 'What it is counted as.'),
  units: Type.Integer({ description: '1, or 0 for what cost nothing.' }),
  reason: Type.Union(
    (Object.keys(endings) as Ending[]).map(ending => Type.Literal(ending)),
    { description: `How it ended. ${reasons}.` },
  ),
  operation: Type.String({ description: 'What was asked for, such as crawl, scan or scan_bulk.' }),
  run_id: orNull(Type.Integer({ description: 'The crawl whose page it is; also when it was deleted.' })),
  page_id: orNull(Type.Integer({ description: 'The page; null where no page came of it.' })),
  request_id: orNull(Type.String({ description: 'X-Request-Id of the request that asked for it.' })),
  url: orNull(
    Type.String({
      description:
        'What it was for. Null for pages of crawls that were deleted: the bill stays, the page is gone.',
    }),
  ),
  attempt: orNull(Type.Integer({ description: 'Which attempt of the crawl had the page.' })),
  cost_usd: Type.Number({ description: 'What a backend asked for it beside the unit.' }),
}

/** The columns of a row of text, in order. */
export const ledgerColumns = Object.keys(properties) as (keyof typeof properties)[]

export const LedgerItem = Type.Object(properties, { $id: 'LedgerItem' })
export type LedgerItem = Static<typeof LedgerItem>

export const Ledger = Type.Object(
  {
    items: Type.Array(LedgerItem, { description: 'In the order in which they were written.' }),
    next_offset: nextOffset,
  },
  { $id: 'Ledger' },
)
export type Ledger = Static<typeof Ledger>

/** Days that may be asked for at once, as those of `/v1/usage/history`. */
export const mostLedgerDays = 365

export const LedgerQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      ...day,
      description: `The first day (UTC). Left out: the last one; of a run or a request, its first. At most ${mostLedgerDays} days.`,
    }),
  ),
  to: Type.Optional(Type.String({ ...day, description: 'The last day (UTC). Left out: today.' })),
  run_id: Type.Optional(Type.Integer({ ...Id, description: 'Only pages of this crawl.', examples: [42] })),
  request_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Only what this request asked for.',
      examples: ['d14f099b-2a51-479a-91bd-5653ca4f6f6f'],
    }),
  ),
  kind: Type.Optional(
    Type.Union(UnitKind.anyOf, { description: 'Only what is counted as this.', examples: ['page'] }),
  ),
  ...windowOf(1000),
  format: Type.Optional(
    Type.Union([Type.Literal('json'), Type.Literal('ndjson'), Type.Literal('csv')], {
      description: 'json unless the Accept header wants application/x-ndjson or text/csv.',
      examples: ['ndjson'],
    }),
  ),
})
export type LedgerQuery = Static<typeof LedgerQuery>
