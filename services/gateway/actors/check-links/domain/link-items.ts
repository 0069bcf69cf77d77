/** Builds the items of the answer from the results of the links. */

import type { LinkItem, LinkReason, LinksChecked } from '@tidemark/contracts/http/actors/check-links'
import type { Ending } from '@tidemark/contracts/prices'
import type { LinkChecked } from '@tidemark/contracts/rpc/check-link'
import type { Listed, Settled, Target } from './link-list.ts'

/** `isRecovered`: a cloud backend fetched a link that had blocked us. */
export type Checked = LinkChecked & { isRecovered?: true }
export type CheckedTargets = ReadonlyMap<Target, Checked>

/** How an installation counts links that block us. */
export type BlockedAs = 'excluded' | 'broken'

export const isBlocked = ({ reason }: Pick<LinkChecked, 'reason'>): boolean => reason === 'blocked'

/** @param unchecked returns the result of targets that were not checked */
export function linkItems(
  listed: readonly Listed[],
  checked: CheckedTargets,
  unchecked: (target: Target) => Settled,
  blockedAs: BlockedAs,
): LinkItem[] {
  return listed.map(({ link, settled, target, anchor }) => {
    const found = target && checked.get(target)
    if (found === undefined) return itemOf(link, settled ?? (target ? unchecked(target) : nothing))
    const isMissing = anchor !== undefined && found.missing.includes(anchor)
    const verdict = isMissing && found.status === 'ok' ? missing : verdictOf(found, blockedAs)
    const isFound = anchor !== undefined && found.found.includes(anchor)
    return {
      ...itemOf(link, verdict),
      status_code: found.statusCode,
      recovered_via_cloud: found.isRecovered === true,
      ...(found.hops.length > 0 && { redirected_to: found.url, redirects: found.hops }),
      ...((isFound || isMissing) && { anchor: isFound ? 'ok' : 'missing' }),
    }
  })
}

export function countsOf(items: readonly LinkItem[]): Pick<LinksChecked, 'total' | LinkItem['status']> {
  const counts = { total: items.length, ok: 0, broken: 0, excluded: 0 }
  for (const { status } of items) counts[status] += 1
  return counts
}

/** Returns how a requested target ended, for its price. */
export function endingOfLink({ statusCode, ...checked }: Checked): Ending {
  if (isBlocked(checked)) return 'blocked'
  return statusCode === null ? 'failed' : 'billed'
}

const notRequested = (reason: LinkReason, error: string): Settled => ({ status: 'excluded', reason, error })

/** Why a target was not requested. */
export const notRequestedFor = {
  time: notRequested('not_asked', 'It was not requested in time.'),
  throttled: notRequested('throttled', 'Its host requested a longer pause than a check waits.'),
  silence: notRequested('not_asked', 'It was not requested, because other links of its host timed out.'),
  daily_pages: notRequested('page_cap', 'The daily page cap is used up.'),
  monthly_pages: notRequested('page_cap', 'The monthly page cap is used up.'),
  free_results: notRequested('page_cap', 'The daily limit of failures and challenges is reached.'),
} as const satisfies Record<string, Settled>

const nothing = notRequestedFor.time
const missing: Settled = { status: 'broken', reason: 'fragment_not_found', error: 'fragment not found' }

const verdictOf = (checked: Checked, blockedAs: BlockedAs) =>
  isBlocked(checked) ? { ...checked, status: blockedAs } : checked

function itemOf({ url, kind }: Listed['link'], { status, reason, error }: Settled | Checked): LinkItem {
  return {
    url,
    status_code: null,
    status,
    recovered_via_cloud: false,
    error,
    reason,
    ...(kind !== undefined && { kind }),
  }
}
