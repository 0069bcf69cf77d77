/** What a run did with one URL, and why: rule by rule in the order in which they were asked. */
import { type Static, Type } from 'typebox'
import { Id, orNull, said, Timestamp, UrlKey } from '../primitives.ts'

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
  {
    rule: said(AskedRule, 'Which rule was asked.'),
    passed: Type.Boolean({ description: 'False: it is what kept the URL out.' }),
    because: Type.String({ description: 'The line, pattern or numbers that decided.' }),
  },
  { $id: 'RuleAnswer' },
)
export type RuleAnswer = Static<typeof RuleAnswer>

export const UrlAttempt = Type.Object(
  {
    attempt: Type.Integer({ description: 'Counted from 1.' }),
    by: Type.Union([Type.Literal('http'), Type.Literal('browser')], {
      description: 'What fetched it: a plain client, or a browser that runs scripts.',
    }),
    ordered_at: orNull(said(Timestamp, 'When it was ordered.')),
    ended_at: orNull(said(Timestamp, 'When its outcome was noted; null while it is under way.')),
    outcome: Type.Union(
      [
        Type.Literal('fetched'),
        Type.Literal('redirected'),
        Type.Literal('failed'),
        Type.Literal('retried'),
        Type.Literal('skipped'),
        Type.Literal('pending'),
      ],
      { description: 'How it ended.' },
    ),
    reason: orNull(
      Type.String({
        description:
          'Why, such as timeout; script_only: it shows nothing without its scripts, and is tried by a browser next. Null where nothing went wrong.',
      }),
    ),
    not_before: orNull(Type.String({ description: 'When it is tried again, at the earliest.' })),
  },
  { $id: 'UrlAttempt' },
)
export type UrlAttempt = Static<typeof UrlAttempt>

export const Explanation = Type.Object(
  {
    url: Type.String({ description: 'In normal form.' }),
    key: said(UrlKey, 'Who the URL is within the crawl.'),
    verdict: said(Verdict, 'Where it stands.'),
    found: orNull(
      Type.Object(
        {
          from_url: orNull(Type.String({ description: 'Null for the seed and for what a sitemap lists.' })),
          anchor: orNull(Type.String({ description: 'The text of the first link to it on that page.' })),
          depth: orNull(Type.Integer({ description: 'Clicks from the seed.' })),
          at: said(Timestamp, 'When it was found.'),
          sequence: Type.Integer({ description: "The event of the run's own stream that says so." }),
        },
        { description: 'How the crawl came to know it; null where it never did.' },
      ),
    ),
    rules: Type.Array(RuleAnswer, { description: 'In the order in which they were asked.' }),
    attempts: Type.Array(UrlAttempt, { description: 'Each time that it was fetched, or tried to be.' }),
    redirects: Type.Array(
      Type.Object({
        from: Type.String({ description: 'The address that redirects.' }),
        to: Type.String({ description: 'Where it leads.' }),
        at: said(Timestamp, 'When it was followed.'),
      }),
      { description: 'From here on, one after the other.' },
    ),
    duplicate_of: orNull(
      Type.String({ description: 'The URL that has its page; null where it is no duplicate.' }),
    ),
    page_id: orNull(said(Id, 'Its page; null where it has none.')),
    trace_id: Type.Optional(
      Type.String({ description: 'The trace of its crawl; absent where the crawl has none.' }),
    ),
    what_would_change: Type.Array(Type.String(), {
      description: 'What another crawl would have to ask for, for this URL to be fetched.',
    }),
  },
  { $id: 'Explanation' },
)
export type Explanation = Static<typeof Explanation>

export const ExplainQuery = Type.Object({
  url: Type.String({
    maxLength: 8192,
    description: 'Any address, however it is spelled.',
    examples: ['https://example.com/drafts/new'],
  }),
})
export type ExplainQuery = Static<typeof ExplainQuery>
