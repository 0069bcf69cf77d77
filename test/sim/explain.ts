/**
 * Describes a failed seed. First it removes the kinds of faults that are not necessary for the failure, so that the
 * story gets short.
 */
import { type Plan, withoutKind } from './faults.ts'
import { type Options, type Result, simulate } from './simulate.ts'

const maxLines = 60

/** Returns the result of the same seed with as few kinds of faults as still violate a promise. */
export async function shortest(result: Result, options: Options = {}): Promise<Result> {
  let best = result
  for (const kind of kindsIn(result.plan)) {
    const plan = withoutKind(best.plan, kind)
    const tried = await simulate(result.seed, { ...options, plan })
    if (tried.violation !== null) best = tried
  }
  return best
}

/** Returns the kinds of faults of a plan. */
const kindsIn = ({ everyMs, ...rates }: Plan): string[] => [
  ...Object.entries(everyMs).flatMap(([kind, ms]) => (Number.isFinite(ms) ? [kind] : [])),
  ...Object.entries(rates).flatMap(([kind, rate]) => (rate > 0 ? [kind] : [])),
]

/** Returns the violation, the command that repeats it, and the end of its story. */
export function reportOf({ seed, violation, plan, story, digest }: Result): string {
  const kinds = kindsIn(plan).join(', ') || 'none'
  return [
    `seed ${seed}: ${violation}`,
    `kinds of faults: ${kinds}; trace ${digest}`,
    `repeat: node test/sim/run.ts --from ${seed} --seeds 1`,
    ...story.slice(-maxLines),
  ].join('\n')
}
