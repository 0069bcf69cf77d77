/** The receipt of a run: where every URL that it discovered has ended, with the reason. Nothing is left out. */
import { type Static, Type } from 'typebox'
import { Id, orNull } from '../primitives.ts'
import { StopReason, TrapRule } from '../run.ts'
import { RunStatus } from './crawls.ts'

const Count = Type.Integer({ minimum: 0 })

/** Every name with a number of its own, 0 included. */
const countsOf = <Name extends string>(names: readonly Name[]) =>
  Type.Object(Object.fromEntries(names.map(name => [name, Count])) as Record<Name, typeof Count>)

export const trapRules: readonly TrapRule[] = TrapRule.anyOf.map(({ const: name }) => name)

/** What a URL that is not reached waits behind: a limit, or the end of a run that ended before its turn. */
export const limits = ['max_pages', 'depth', 'quota', 'cancelled', 'time_limit'] as const

export const Coverage = Type.Object(
  {
    run_id: Id,
    status: RunStatus,
    stop_reason: orNull(StopReason),
    position: Type.Integer({ description: "The last event of the run's own stream that is counted here." }),
    discovered: Type.Integer({
      minimum: 0,
      description: 'fetched + failed + skipped + duplicate + not_reached + pending, at every moment.',
    }),
    fetched: Count,
    failed: Type.Object({ total: Count, by_reason: Type.Record(Type.String(), Count) }),
    skipped: Type.Object({
      total: Count,
      by_reason: Type.Object({
        ...countsOf(['robots', 'robots_unreachable', 'redirect_out_of_scope', 'excluded', 'not_included'])
          .properties,
        trap: countsOf(trapRules),
      }),
    }),
    duplicate: Count,
    not_reached: Type.Object({ total: Count, by_limit: countsOf(limits) }),
    pending: Count,
    sitemaps: Type.Object({
      read: Count,
      failed: Count,
      cut: Type.Integer({ minimum: 0, description: 'Of those read, how many were not read whole.' }),
    }),
    frontier_full: Type.Boolean({
      description: 'The crawl knew as many URLs as it can hold; what it found after that was not judged.',
    }),
    holds: Type.Boolean({ description: 'Whether the sum is right. It always is.' }),
  },
  { $id: 'Coverage' },
)
export type Coverage = Static<typeof Coverage>
