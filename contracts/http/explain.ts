/** The decision of a run for one URL: rule by rule in the order of evaluation. */
import { type Static, Type } from 'typebox'
import { described, Id, oneOf, orNull, Timestamp, UrlKey } from '../primitives.ts'
import { warnings } from './lists.ts'

export const Verdict = oneOf([
  'fetched',
  'failed',
  'skipped',
  'duplicate',
  'not_reached',
  'pending',
  'never_seen',
])
export type Verdict = Static<typeof Verdict>

/**
 * The rules in the order of evaluation, then `redirect` for URLs that redirect, and `found` for URLs that the run never found.
 */
export const ExplainedRule = oneOf([
  'scope',
  'known',
  'frontier',
  'trap',
  'patterns',
  'depth',
  'robots',
  'max_pages',
  'redirect',
  'found',
])
export type ExplainedRule = Static<typeof ExplainedRule>

export const RuleAnswer = Type.Object(
  {
    rule: described(ExplainedRule, 'Name of the rule.'),
    passed: Type.Boolean({ description: 'False: this rule excluded the URL.' }),
    because: Type.String({ description: 'The line, pattern or numbers that decided.' }),
  },
  { $id: 'RuleAnswer' },
)
export type RuleAnswer = Static<typeof RuleAnswer>

export const UrlAttempt = Type.Object(
  {
    attempt: Type.Integer({ description: 'Counted from 1.' }),
    of: Type.Optional(
      Type.Literal('robots.txt', {
        description:
          'The target of the attempt: the robots.txt of the site, without which the URL is not requested. Absent: the URL itself.',
      }),
    ),
    by: oneOf(['http', 'browser', 'store'], {
      description:
        'The fetcher: a plain client, or a browser that runs scripts. store: the forked crawl has the page, so nothing is fetched.',
    }),
    ordered_at: orNull(described(Timestamp, 'Time of the order.')),
    ended_at: orNull(described(Timestamp, 'Time of the outcome; null: still under way.')),
    outcome: oneOf(['fetched', 'redirected', 'failed', 'retried', 'skipped', 'pending'], {
      description: 'The outcome of the request.',
    }),
    reason: orNull(
      Type.String({
        description:
          'Reason, such as timeout. script_only: the page is empty without its scripts, and a browser retries it. http_500 and the like: the site returned a server error, and the URL is retried once at the end of the crawl. Null: no error.',
      }),
    ),
    not_before: orNull(Type.String({ description: 'Earliest time of the next attempt.' })),
  },
  { $id: 'UrlAttempt' },
)
export type UrlAttempt = Static<typeof UrlAttempt>

export const Explanation = Type.Object(
  {
    url: Type.String({ description: 'The URL in normal form.' }),
    key: described(UrlKey, 'Key of the URL within the crawl.'),
    verdict: described(Verdict, 'Outcome of the URL.'),
    found: orNull(
      Type.Object(
        {
          from_url: orNull(Type.String({ description: 'Null: the seed, or urls or a sitemap lists it.' })),
          anchor: orNull(Type.String({ description: 'Text of the first link to it on that page.' })),
          depth: orNull(Type.Integer({ description: 'Number of links from the seed to the page.' })),
          at: described(Timestamp, 'Time of the discovery.'),
          sequence: Type.Integer({ description: 'Position of the event of the crawl that records it.' }),
        },
        {
          description:
            'How the crawl found the URL; null: no event of the crawl names it, such as a URL out of scope.',
        },
      ),
    ),
    rules: Type.Array(RuleAnswer, { description: 'In the order of evaluation.' }),
    attempts: Type.Array(UrlAttempt, { description: 'Every attempt to fetch the URL.' }),
    redirects: Type.Array(
      Type.Object({
        from: Type.String({ description: 'The address that redirects.' }),
        to: Type.String({ description: 'The target of the redirect.' }),
        at: described(Timestamp, 'Time of the redirect.'),
      }),
      { description: 'The redirects that lead to this URL and from it, in order.' },
    ),
    duplicate_of: orNull(
      Type.String({
        description:
          'The URL at the end of its redirects, which has the page if there is one; null: the URL is not a duplicate.',
      }),
    ),
    page_id: orNull(described(Id, 'The page of the URL; null: none.')),
    trace_id: Type.Optional(
      Type.String({ description: 'The trace of the crawl; absent: the crawl has none.' }),
    ),
    what_would_change: Type.Array(Type.String(), {
      description: 'Changes that lift the deciding rule. Later rules may still exclude the URL.',
    }),
    warnings,
  },
  { $id: 'Explanation' },
)
export type Explanation = Static<typeof Explanation>

export const ExplainQuery = Type.Object({
  url: Type.String({
    maxLength: 8192,
    description: 'The URL, in any spelling.',
    examples: ['https://example.com/drafts/new'],
  }),
})
