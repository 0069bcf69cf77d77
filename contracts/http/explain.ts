/** What a run did with one URL, and why: rule by rule in the order in which they were asked. */
import { type Static, Type } from 'typebox'
import { Id, orNull, Timestamp, UrlKey } from '../primitives.ts'

export const Verdict = Type.Union([
  Type.Literal('fetched'),
  Type.Literal('failed'),
  Type.Literal('skipped'),
  Type.Literal('duplicate'),
  Type.Literal('not_reached'),
  Type.Literal('pending'),
  Type.Literal('never_seen'),
])
export type Verdict = Static<typeof Verdict>

/** In the order in which they are asked. `redirect` is asked last, of pages that answered with one. */
export const AskedRule = Type.Union([
  Type.Literal('scope'),
  Type.Literal('known'),
  Type.Literal('frontier'),
  Type.Literal('trap'),
  Type.Literal('patterns'),
  Type.Literal('depth'),
  Type.Literal('robots'),
  Type.Literal('max_pages'),
  Type.Literal('redirect'),
  Type.Literal('found'),
])
export type AskedRule = Static<typeof AskedRule>

export const RuleAnswer = Type.Object(
  { rule: AskedRule, passed: Type.Boolean(), because: Type.String() },
  { $id: 'RuleAnswer' },
)
export type RuleAnswer = Static<typeof RuleAnswer>

export const UrlAttempt = Type.Object(
  {
    attempt: Type.Integer(),
    ordered_at: orNull(Timestamp),
    ended_at: orNull(Timestamp),
    outcome: Type.Union([
      Type.Literal('fetched'),
      Type.Literal('redirected'),
      Type.Literal('failed'),
      Type.Literal('retried'),
      Type.Literal('skipped'),
      Type.Literal('pending'),
    ]),
    reason: orNull(Type.String()),
    not_before: orNull(Type.String({ description: 'When it is tried again, at the earliest.' })),
  },
  { $id: 'UrlAttempt' },
)
export type UrlAttempt = Static<typeof UrlAttempt>

export const Explanation = Type.Object(
  {
    url: Type.String({ description: 'In normal form.' }),
    key: UrlKey,
    verdict: Verdict,
    found: orNull(
      Type.Object({
        from_url: orNull(Type.String({ description: 'Null for the seed and for what a sitemap lists.' })),
        anchor: orNull(Type.String({ description: 'The text of the first link to it on that page.' })),
        depth: orNull(Type.Integer()),
        at: Timestamp,
        sequence: Type.Integer({ description: "The event of the run's own stream that says so." }),
      }),
    ),
    rules: Type.Array(RuleAnswer),
    attempts: Type.Array(UrlAttempt),
    redirects: Type.Array(Type.Object({ from: Type.String(), to: Type.String(), at: Timestamp })),
    duplicate_of: orNull(Type.String()),
    page_id: orNull(Id),
    what_would_change: Type.Array(Type.String()),
  },
  { $id: 'Explanation' },
)
export type Explanation = Static<typeof Explanation>

export const ExplainQuery = Type.Object({
  url: Type.String({ maxLength: 8192, description: 'Any address, however it is spelled.' }),
})
export type ExplainQuery = Static<typeof ExplainQuery>
