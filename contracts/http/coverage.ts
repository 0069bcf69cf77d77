/** The receipt of a run: where every URL that it discovered has ended, with the reason. Nothing is left out. */
import { type Static, Type } from 'typebox'
import { Id, orNull, said } from '../primitives.ts'
import { StopReason, TrapRule } from '../run.ts'
import { RunStatus } from './crawls.ts'

const Count = Type.Integer({ minimum: 0 })

/** Every name with a number of its own, 0 included. */
const countsOf = <Name extends string>(counts: Readonly<Record<Name, string>>) =>
  Type.Object(
    Object.fromEntries(
      Object.entries<string>(counts).map(([name, description]) => [name, said(Count, description)]),
    ) as Record<Name, typeof Count>,
  )

const traps: Record<TrapRule, string> = {
  path_repetition: 'The path says the same again and again.',
  path_depth: 'The path is deeper than paths are.',
  calendar: 'It looks like one more day of a calendar without an end.',
  parameters: 'The same path came with too many queries.',
  session_id: 'It differs from a known URL by a session only.',
  equal_content: 'Pages of its pattern have all been the same.',
}

export const trapRules: readonly TrapRule[] = TrapRule.anyOf.map(({ const: name }) => name)

const waitsBehind = {
  max_pages: 'max_pages of the request.',
  depth: 'depth of the request.',
  quota: 'The caps of the project.',
  cancelled: 'The crawl was cancelled before its turn.',
  time_limit: 'The time of a crawl was over before its turn.',
}

/** What a URL that is not reached waits behind: a limit, or the end of a run that ended before its turn. */
export const limits = Object.keys(waitsBehind) as (keyof typeof waitsBehind)[]

export const Coverage = Type.Object(
  {
    run_id: said(Id, 'The crawl.'),
    status: RunStatus,
    stop_reason: orNull(said(StopReason, 'Why it ended; null before.')),
    position: Type.Integer({ description: "The last event of the run's own stream that is counted here." }),
    discovered: Type.Integer({
      minimum: 0,
      description: 'fetched + failed + skipped + duplicate + not_reached + pending, at every moment.',
    }),
    fetched: said(Count, 'They are pages now.'),
    not_modified: Type.Object(
      {
        pages: said(Count, 'Of those fetched, pages that had not changed and were not sent again.'),
        bytes_saved: said(Count, 'Bytes of body that so were not sent, as they came over the wire before.'),
      },
      { description: 'Of a monitor: what its origin answered with 304, by ETag or Last-Modified.' },
    ),
    failed: Type.Object(
      {
        total: said(Count, 'All of them.'),
        by_reason: Type.Record(Type.String(), Count, { description: 'Such as dns, connect or timeout.' }),
      },
      { description: 'URLs that never became an answer; GET …/errors lists them.' },
    ),
    skipped: Type.Object(
      {
        total: said(Count, 'All of them.'),
        by_reason: Type.Object(
          {
            ...countsOf({
              robots: 'robots.txt forbids it.',
              robots_unreachable: 'robots.txt could not be had, so nothing there is allowed.',
              redirect_out_of_scope: 'It redirects to another site.',
              excluded: 'One of exclude_paths matches.',
              not_included: 'None of include_paths matches.',
            }).properties,
            trap: said(countsOf(traps), 'It looks like one of endlessly many, by the rule that says so.'),
          },
          { description: 'By what forbade them.' },
        ),
      },
      { description: 'URLs that the crawl was not to fetch.' },
    ),
    duplicate: said(Count, 'URLs that lead to a page which the crawl has under another.'),
    not_reached: Type.Object(
      {
        total: said(Count, 'All of them.'),
        by_limit: said(countsOf(waitsBehind), 'By what they wait behind.'),
      },
      { description: 'URLs that a limit keeps from being fetched.' },
    ),
    pending: said(Count, 'URLs whose turn is still to come.'),
    sitemaps: Type.Object(
      {
        read: said(Count, 'Sitemaps that were read.'),
        failed: said(Count, 'Sitemaps that could not be had.'),
        cut: Type.Integer({ minimum: 0, description: 'Of those read, how many were not read whole.' }),
      },
      { description: 'How its sitemaps were read.' },
    ),
    frontier_full: Type.Boolean({
      description: 'The crawl knew as many URLs as it can hold; what it found after that was not judged.',
    }),
    holds: Type.Boolean({ description: 'Whether the sum is right. It always is.' }),
  },
  { $id: 'Coverage' },
)
export type Coverage = Static<typeof Coverage>
