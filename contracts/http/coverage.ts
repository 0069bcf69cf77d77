/** The coverage of a run: the outcome and reason of every URL that it discovered. */
import { type Static, Type } from 'typebox'
import { count, described, Id, orNull, Timestamp } from '../primitives.ts'
import { TrapRule } from '../run.ts'
import { StopReason } from '../run-ends.ts'
import { errorReason, RunStatus } from './crawls.ts'
import { warnings } from './lists.ts'

/** Returns a schema with a count for every name, 0 included. */
const countsOf = <Name extends string>(counts: Readonly<Record<Name, string>>) =>
  Type.Object(
    Object.fromEntries(
      Object.entries<string>(counts).map(([name, description]) => [name, count(description)]),
    ) as Record<Name, ReturnType<typeof count>>,
  )

const traps: Record<TrapRule, string> = {
  path_repetition: 'The path repeats the same segments.',
  path_depth: 'The path is too deep.',
  calendar: 'The URL looks like another day of an endless calendar.',
  parameters: 'The query is too large, reorders the query of an admitted URL, or recombines known values.',
  session_id: 'The URL differs from a known URL only by a session id.',
  equal_content: 'Nearly all recent pages of this shape or branch had equal content or layout.',
}

export const trapRules: readonly TrapRule[] = TrapRule.anyOf.map(({ const: name }) => name)

const waitsBehind = {
  max_pages: 'The max_pages of the request.',
  depth: 'The depth of the request.',
  max_cost_usd: 'The max_cost_usd of the request.',
  max_bytes: 'The max_bytes of the request.',
  quota: 'The caps of the project.',
  cancelled: 'The crawl was cancelled before the URL was fetched.',
  time_limit: 'The time limit of the crawl was reached before the URL was fetched.',
  failed: 'The login of the crawl failed, or was lost before the URL was fetched.',
  pattern_time: 'The time for include_paths and exclude_paths was used up before the URL was judged.',
}

/** Reasons why a URL was not reached: a limit, or the end of the run. */
export const limits = Object.keys(waitsBehind) as (keyof typeof waitsBehind)[]

export const Coverage = Type.Object(
  {
    run_id: described(Id, 'The crawl.'),
    status: RunStatus,
    paused_at: Type.Optional(
      orNull(described(Timestamp, 'Time at which the client paused it; null: not paused.')),
    ),
    stop_reason: orNull(described(StopReason, 'Reason for the end; null: not ended yet.')),
    error_message: Type.Optional(
      orNull(
        Type.String({ description: 'The reason for the failure in words; null: the crawl did not fail.' }),
      ),
    ),
    error_reason: errorReason,
    position: Type.Integer({
      description: 'The position of the last event of the crawl that is counted here.',
    }),
    discovered: Type.Integer({
      minimum: 0,
      description: 'fetched + failed + skipped + duplicate + not_reached + pending, at every moment.',
    }),
    fetched: count('URLs that are pages.'),
    not_modified: Type.Object(
      {
        pages: count('Pages that the site reported as unchanged and did not send again.'),
        bytes_saved: count(
          'Bytes of the bodies that were not sent again, counted as transferred by the earlier crawl.',
        ),
      },
      { description: 'For a monitor: responses with 304, by ETag or Last-Modified.' },
    ),
    pages_reused: Type.Optional(
      count('For a fork: pages that were taken from the forked crawl without a request.'),
    ),
    failed: Type.Object(
      {
        total: count('Total.'),
        by_reason: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
          description: 'By reason, such as dns, connect or timeout.',
        }),
      },
      { description: 'URLs that got no HTTP response; GET …/errors lists them.' },
    ),
    skipped: Type.Object(
      {
        total: count('Total.'),
        by_reason: Type.Object(
          {
            ...countsOf({
              robots: 'robots.txt forbids it.',
              robots_unreachable: 'robots.txt could not be fetched, so the whole site is disallowed.',
              redirect_out_of_scope: 'It redirects to another site.',
              excluded: 'One of exclude_paths matches.',
              not_included: 'None of include_paths matches.',
            }).properties,
            trap: described(countsOf(traps), 'The URL looks like part of an endless series, by trap rule.'),
          },
          { description: 'By the rule that excludes them.' },
        ),
      },
      { $id: 'SkippedUrls', description: 'URLs that rules exclude.' },
    ),
    duplicate: count('URLs that lead to a page of the crawl under another URL.'),
    not_reached: Type.Object(
      {
        total: count('Total.'),
        by_limit: described(countsOf(waitsBehind), 'By the limit.'),
      },
      { $id: 'NotReachedUrls', description: 'URLs that a limit prevents from being fetched.' },
    ),
    pending: count('URLs that are waiting to be fetched, or are listed in urls and not judged yet.'),
    budget: Type.Optional(
      orNull(
        Type.Object(
          {
            max_cost_usd: orNull(
              Type.Number({ description: 'The max_cost_usd of the request; null: none.' }),
            ),
            cost_usd: orNull(
              Type.Number({
                description: 'Price of the pages in US dollars, as billed; null without max_cost_usd.',
              }),
            ),
            max_bytes: orNull(Type.Integer({ description: 'The max_bytes of the request; null: none.' })),
            bytes: orNull(count('Bytes of the pages; null without max_bytes.')),
          },
          { description: 'The budget of the request and its use; null: it sets none.' },
        ),
      ),
    ),
    sitemaps: Type.Object(
      {
        read: count('Sitemaps that were read.'),
        failed: count('Sitemaps that could not be fetched.'),
        cut: count('Sitemaps that were read only in part.'),
      },
      { description: 'Sitemaps of the crawl.' },
    ),
    frontier_full: Type.Boolean({
      description:
        'Whether the crawl has reached its maximum number of known URLs. URLs found after that were not judged.',
    }),
    holds: Type.Boolean({ description: 'Whether the counts add up. Always true.' }),
    warnings,
  },
  { $id: 'Coverage' },
)
export type Coverage = Static<typeof Coverage>
