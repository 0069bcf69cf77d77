/**
 * Checks as many links as a page cap allows. A link that costs nothing (a private address, or a link that robots.txt
 * forbids) uses no unit of the cap. A later link gets that unit.
 */
import type { Granted } from '../../metering/adapters/metering.ts'
import type { ActorWork } from '../answer-actor.ts'
import { type Checking, type CheckingPorts, checkTargets, type TargetsChecked } from './check-targets.ts'
import { type Checked, notRequestedFor } from './domain/link-items.ts'
import type { Settled, Target } from './domain/link-list.ts'

export type Reserved = Granted & { targets: readonly Target[] }

/** `beyond`: the number of targets at the end that exceed the cap. */
export type CheckedWithinCap = TargetsChecked & { beyond: number }

export async function checkWithinCap(
  ports: CheckingPorts,
  { targets, granted, reason }: Reserved,
  work: Omit<Checking, 'done'>,
  progress: ActorWork['progress'],
): Promise<CheckedWithinCap> {
  const checked = new Map<Target, Checked>()
  const notRequested = new Map<Target, Settled>()
  let [reached, done, left] = [0, 0, granted]
  const report = () => progress({ stage: 'checking links', done, total: reached })
  const countDone = () => {
    done += 1
    report()
  }
  do {
    const chosen = targets.slice(reached, reached + left)
    reached += chosen.length
    report()
    const round = await checkTargets(ports, chosen, { ...work, done: countDone })
    for (const target of chosen) {
      const found = round.checked.get(target)
      if (found === undefined) notRequested.set(target, round.whyNotRequested(target))
      else checked.set(target, found)
      if (found?.isAsked) left -= 1
    }
  } while (left > 0 && reached < targets.length && !work.signal.aborted)
  const isBeyond = left <= 0
  if (isBeyond) for (const target of targets.slice(reached)) notRequested.set(target, ofCap(reason))
  return {
    checked,
    whyNotRequested: target => notRequested.get(target) ?? notRequestedFor.time,
    beyond: isBeyond ? targets.length - reached : 0,
  }
}

const ofCap = (reason: Granted['reason']): Settled =>
  notRequestedFor[reason === 'monthly_pages' || reason === 'free_results' ? reason : 'daily_pages']
