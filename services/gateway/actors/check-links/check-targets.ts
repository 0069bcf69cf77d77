/**
 * Asks for each page once, few at a host at a time. A host that wants to be left alone is left alone for as long as it
 * says, while the others go on; what it put off is asked for once more in the end.
 */

import { hostOf } from '@tidemark/url/host'
import { inLanes } from '../../reading/domain/host-lanes.ts'
import type { ActorPorts } from '../ports.ts'
import { HostPatience } from './domain/host-patience.ts'
import { type Checked, type CheckedTargets, unaskedFor } from './domain/link-items.ts'
import { type Settled, spread, type Target } from './domain/link-list.ts'

export type CheckingPorts = Pick<ActorPorts, 'actors' | 'probes'>

export type Checking = {
  workId: number
  projectId: number
  concurrency: number
  /** Nothing more is begun once it has aborted. */
  signal: AbortSignal
  /** Called when another one is done. */
  done: () => void
}

/** What is left out of `checked` was not asked; why is told of each. */
export type TargetsChecked = { checked: CheckedTargets; whyUnasked: (target: Target) => Settled }

/** For one link, all its requests together. */
const linkMs = 50_000

export async function checkTargets(
  { actors, probes }: CheckingPorts,
  targets: readonly Target[],
  { workId, projectId, concurrency, signal, done }: Checking,
): Promise<TargetsChecked> {
  const checked = new Map<Target, Checked>()
  const passedOver = new Map<Target, Settled>()
  const hosts = new HostPatience()
  const heldMs = (host: string) => hosts.heldMs(host, performance.now())
  const lanes = { concurrency, perHost: probes.perHost, signal, heldMs }
  const pace = { workId, projectId, delayMs: probes.delayMs, concurrency, timeoutMs: linkMs }

  const first = spread(targets).map(target => ({ target, host: target.host }))
  await inLanes(first, lanes, ({ target, host }) => check(target, host).then(done))
  const again = targets.flatMap(target => {
    const found = checked.get(target)
    return isWorthMore(found) ? [{ target, host: found ? hostOf(found.url) : target.host }] : []
  })
  await inLanes(again, lanes, ({ target, host }) => check(target, host))
  return { checked, whyUnasked: target => passedOver.get(target) ?? unaskedFor.time }

  async function check(target: Target, host: string): Promise<void> {
    const why = reasonToPassOver(host)
    if (why !== null) return passOver(target, why)
    const { url, places } = target
    const found = await actors.checkLink({ ...pace, url, places }).catch(() => null)
    if (found === null) return
    // A turn that did not come says nothing against what was answered before.
    if (!found.isAsked && checked.get(target)?.isAsked) return
    checked.set(target, found)
    hosts.note(hostOf(found.url), found, performance.now())
  }

  function reasonToPassOver(host: string): Settled | null {
    if (hosts.isThrottled(host, performance.now())) return unaskedFor.throttled
    return hosts.isSilent(host) ? unaskedFor.silence : null
  }

  /** Who waited in vain for a turn was not asked either. */
  function passOver(target: Target, why: Settled): void {
    if (checked.get(target)?.isAsked === false) checked.delete(target)
    passedOver.set(target, why)
  }
}

/** A host that put it off may have it now; so may we where nobody had the time to ask. */
const isWorthMore = (found: Checked | undefined): boolean =>
  found === undefined || found.leaveAloneMs !== null || found.reason === 'not_asked'
