/** Rules for an administrator's changes of the terms of a project and of the caps of a key. */
import type { AccountEvent } from '@tidemark/contracts/account'
import { type Caps, capNames } from '@tidemark/contracts/limits'
import type { CloudMode, Tier } from '@tidemark/contracts/primitives'
import type { CapChanges } from '@tidemark/contracts/rpc/accounts'
import type { OwnProxy } from '@tidemark/contracts/run-settings'

export type ProjectTerms = {
  projectId: number
  tier: Tier
  unlimited: boolean
  caps: Caps
  cloudMode: CloudMode | null
  proxy: OwnProxy | null
}

/** Missing fields stay as they are. */
export type TermsChange = {
  tier?: Tier | undefined
  unlimited?: boolean | undefined
  caps?: CapChanges | undefined
  cloudMode?: CloudMode | null | undefined
  proxy?: OwnProxy | null | undefined
}

/** Returns the events of the change; empty when nothing changes. */
export function changeTerms(project: ProjectTerms, change: TermsChange): AccountEvent[] {
  const { projectId } = project
  const { tier = project.tier, unlimited = project.unlimited, cloudMode = project.cloudMode } = change
  const caps = changedCaps(project.caps, change.caps)
  const events: AccountEvent[] = []
  if (tier !== project.tier || unlimited !== project.unlimited)
    events.push({ type: 'ProjectTierSet', data: { projectId, tier, unlimited } })
  if (caps !== null) events.push({ type: 'ProjectCapsSet', data: { projectId, caps } })
  if (cloudMode !== project.cloudMode)
    events.push({ type: 'ProjectCloudModeSet', data: { projectId, cloudMode } })
  // Each sealing returns a different text, so an equal proxy cannot be recognized.
  if (change.proxy !== undefined && (change.proxy !== null || project.proxy !== null))
    events.push({ type: 'ProjectProxySet', data: { projectId, proxy: change.proxy } })
  return events
}

export type KeyTerms = { projectId: number; prefix: string; caps: Caps }

export function changeKeyCaps(
  { projectId, prefix, caps: before }: KeyTerms,
  changes: CapChanges,
): AccountEvent[] {
  const caps = changedCaps(before, changes)
  return caps === null ? [] : [{ type: 'KeyCapsSet', data: { projectId, prefix, caps } }]
}

/** Returns the new caps; null: nothing changes. */
function changedCaps(before: Caps, changes: CapChanges = {}): Caps | null {
  const caps: Caps = {}
  for (const name of capNames) {
    const change = changes[name]
    const value = change === undefined ? before[name] : change
    if (value !== undefined && value !== 'default') caps[name] = value
  }
  return capNames.every(name => caps[name] === before[name]) ? null : caps
}
