/**
 * Requests each page, with a limit per host. Respects the pauses that a host requests while other hosts continue.
 * Retries deferred pages once, at the end.
 */
import { hostOf } from '@tidemark/url/host'
import { forEachPerHost } from '@tidemark/url/host-lanes'
import { isCrowded, retryWhileUnavailable } from '../../live-pages/retry-while-unavailable.ts'
import type { ActorPorts } from '../ports.ts'
import { HostPatience } from './domain/host-patience.ts'
import { type Checked, type CheckedTargets, notRequestedFor } from './domain/link-items.ts'
import { type Settled, spread, type Target } from './domain/link-list.ts'

export type CheckingPorts = Pick<ActorPorts, 'actors' | 'probes'>

export type Checking = {
  workId: number
  projectId: number
  concurrency: number
  /** Nothing new begins after it has aborted. */
  signal: AbortSignal
  /** Called when a target is done. */
  done: () => void
}

/** Targets that `checked` lacks were not requested; `whyNotRequested` returns the reason of each. */
export type TargetsChecked = { checked: CheckedTargets; whyNotRequested: (target: Target) => Settled }

/** The time for one link, with all its requests. */
const linkMs = 50_000

export async function checkTargets(
  { actors, probes }: CheckingPorts,
  targets: readonly Target[],
  { workId, projectId, concurrency, signal, done }: Checking,
): Promise<TargetsChecked> {
  const checked = new Map<Target, Checked>()
  const skipped = new Map<Target, Settled>()
  const hosts = new HostPatience()
  const heldMs = (host: string) => hosts.heldMs(host, performance.now())
  const lanes = { concurrency, perHost: probes.perHost, signal, heldMs }
  const common = { workId, projectId, delayMs: probes.delayMs, concurrency, timeoutMs: linkMs }

  const first = spread(targets).map(target => ({ target, host: target.host }))
  await forEachPerHost(first, lanes, ({ target, host }) => check(target, host).then(done))
  const again = targets.flatMap(target => {
    const found = checked.get(target)
    return isRetried(found) ? [{ target, host: found ? hostOf(found.url) : target.host }] : []
  })
  await forEachPerHost(again, lanes, ({ target, host }) => check(target, host))
  return { checked, whyNotRequested: target => skipped.get(target) ?? notRequestedFor.time }

  async function check(target: Target, host: string): Promise<void> {
    const why = reasonToSkip(host)
    if (why !== null) return skip(target, why)
    const { url, anchors } = target
    const checkOnce = () => actors.checkLink({ ...common, url, places: anchors })
    // A service without free slots refuses at once. Without the pauses between retries, all links would be skipped.
    const found = await retryWhileUnavailable(signal, checkOnce, isCrowded).catch(() => null)
    if (found === null) return
    // A retry that got no host slot does not overwrite an earlier answer.
    if (!found.isAsked && checked.get(target)?.isAsked) return
    checked.set(target, found)
    hosts.note(hostOf(found.url), found, performance.now())
  }

  function reasonToSkip(host: string): Settled | null {
    if (hosts.isThrottled(host, performance.now())) return notRequestedFor.throttled
    return hosts.isSilent(host) ? notRequestedFor.silence : null
  }

  /** Targets that got no host slot before were not requested either, so they get the new reason. */
  function skip(target: Target, why: Settled): void {
    if (checked.get(target)?.isAsked === false) checked.delete(target)
    skipped.set(target, why)
  }
}

/** Returns whether a link is checked again: its host requested a pause, or the link was not requested before. */
const isRetried = (found: Checked | undefined): boolean =>
  found === undefined || found.leaveAloneMs !== null || found.reason === 'not_asked'
