/** Plans the cloud pages of a scan, and reports those that it used. */

import type { Scan, ScanRequest } from '@tidemark/contracts/http/scan'
import type { Ending } from '@tidemark/contracts/prices'
import type { CloudMode } from '@tidemark/contracts/primitives'
import type { BackendChoice, Try } from '@tidemark/contracts/rpc/backends'
import type { CloudParts } from '../../live-pages/domain/found-page.ts'
import { tryView } from '../../live-pages/domain/page-fields.ts'
import { billedTries, type Priced } from '../../live-pages/domain/price-of.ts'
import type { ProxyPrices } from '../../live-pages/domain/proxy-prices.ts'
import type { Tried } from '../../metering/domain/metering.ts'

export type ScanPlan = {
  /** Undefined means plain HTTP only. */
  means: BackendChoice | undefined
  picture: boolean
  /** Number of cloud pages that the scan requires. */
  needed: number
  /** Number of further cloud pages that it can omit. */
  optional: number
}

const means: Record<CloudMode, BackendChoice | undefined> = {
  none: undefined,
  auto: { is: 'auto', from: 'http', country: null },
  unblocker: { is: 'auto', from: 'faithful', country: null },
  browser: { is: 'browser' },
}

/**
 * Returns the plan of a scan.
 * @param usual the project's mode, for scans that name none
 */
export function scanPlanOf(
  { cloud_mode, screenshot_inline: picture }: Pick<ScanRequest, 'cloud_mode' | 'screenshot_inline'>,
  usual: CloudMode | undefined,
): ScanPlan {
  const mode = cloud_mode ?? usual ?? 'none'
  const forPage = mode === 'none' ? 0 : 1
  const isOptional = mode === 'auto'
  return {
    means: means[mode],
    picture,
    needed: (isOptional ? 0 : forPage) + (picture ? 1 : 0),
    optional: isOptional ? forPage : 0,
  }
}

/** Returns the plan without the optional cloud pages, for a cap that does not allow them. */
export const withoutOptional = (plan: ScanPlan): ScanPlan => ({ ...plan, means: undefined, optional: 0 })

/** Returns the operations of the plan in the cloud. A scan that fails has attempted them, which costs nothing. */
export const cloudWanted = ({ means, picture }: ScanPlan): ('scan_cloud' | 'scan_screenshot')[] => [
  ...(means === undefined ? [] : ['scan_cloud' as const]),
  ...(picture ? ['scan_screenshot' as const] : []),
]

/** Returns the cloud fields of the response. `tries` contain their billed costs. */
export function cloudFields(
  { backend, picture }: CloudParts,
  tries: readonly Try[],
  costUsd: number,
): Partial<Scan> {
  return {
    ...(picture !== undefined &&
      ('png' in picture ? { screenshot: picture.png } : { screenshot_error: picture.error })),
    ...(backend !== undefined && { backend, tried: tries.map(tryView), cost_usd: costUsd }),
  }
}

/**
 * Returns the billed cloud pages of a scan. The first entry of the bill has the cost in US dollars, so they are listed
 * before the page.
 */
export function cloudTried(what: string, { backend, picture }: CloudParts, ending: Ending): Tried[] {
  const isBeyond = backend !== undefined && backend !== 'http'
  const hasPicture = picture !== undefined && 'png' in picture
  return [
    ...(isBeyond ? [{ what, ending, as: 'scan_cloud' as const }] : []),
    ...(hasPicture ? [{ what, ending, as: 'scan_screenshot' as const }] : []),
  ]
}

/** Returns the tried backends, with the billed cost of each. */
export function scanTries(found: CloudParts & Pick<Priced, 'content'>, prices: ProxyPrices): Try[] {
  const { backend = 'http', pool = null, moved = null, tried = [], content } = found
  return billedTries({ backend, pool, moved, tried, content }, prices)
}
