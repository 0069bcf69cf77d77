/** What a scan may use beyond plain HTTP, and what it has used of it. */

import type { Scan, ScanRequest } from '@tidemark/contracts/http/scan'
import type { Ending } from '@tidemark/contracts/prices'
import type { CloudMode } from '@tidemark/contracts/primitives'
import type { Means, Try } from '@tidemark/contracts/rpc/means'
import type { Tried } from '../../metering/domain/metering.ts'
import type { CloudParts } from '../../reading/domain/found-page.ts'
import { tryTold } from '../../reading/domain/page-told.ts'
import { billedTries, type Priced } from '../../reading/domain/price-of.ts'
import type { ProxyPrices } from '../../reading/domain/proxy-prices.ts'

export type ScanPlan = {
  /** Undefined: plain HTTP, and nothing else. */
  means: Means | undefined
  picture: boolean
  /** Cloud pages without which the scan cannot do what it is asked for. */
  needed: number
  /** Those besides that it can do without. */
  optional: number
}

const means: Record<CloudMode, Means | undefined> = {
  none: undefined,
  auto: { is: 'auto', from: 'http', country: null },
  unblocker: { is: 'auto', from: 'faithful', country: null },
  browser: { is: 'browser' },
}

/** @param usual the project's own, of scans that do not say */
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

/** Without what there is no room for. */
export const withoutOptional = (plan: ScanPlan): ScanPlan => ({ ...plan, means: undefined, optional: 0 })

/** What the answer tells beside the page; `tries` cost what they are billed. */
export function cloudTold(
  { backend, picture }: CloudParts,
  tries: readonly Try[],
  costUsd: number,
): Partial<Scan> {
  return {
    ...(picture !== undefined &&
      ('png' in picture ? { screenshot: picture.png } : { screenshot_error: picture.error })),
    ...(backend !== undefined && { backend, tried: tries.map(tryTold), cost_usd: costUsd }),
  }
}

/** Cloud pages of a scan that ended so; they stand before its page, so that what they cost stands with them. */
export function cloudTried(what: string, { backend, picture }: CloudParts, ending: Ending): Tried[] {
  const isBeyond = backend !== undefined && backend !== 'http'
  const hasPicture = picture !== undefined && 'png' in picture
  return [
    ...(isBeyond ? [{ what, ending, as: 'scan_cloud' as const }] : []),
    ...(hasPicture ? [{ what, ending, as: 'scan_screenshot' as const }] : []),
  ]
}

/** The backends that a scan has tried, with what each is billed. */
export function scanTries(found: CloudParts & Pick<Priced, 'content'>, prices: ProxyPrices): Try[] {
  const { backend = 'http', pool = null, moved = null, tried = [], content } = found
  return billedTries({ backend, pool, moved, tried, content }, prices)
}
