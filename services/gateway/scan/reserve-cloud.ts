/** Reserves the cloud pages of a scan, without the optional ones if the cap does not allow them. */
import { secondsToMidnight } from '@tidemark/contracts/calendar'
import type { Metering, Payer } from '../metering/adapters/metering.ts'
import { refusalOf } from '../metering/domain/metering.ts'
import { type ScanPlan, withoutOptional } from './domain/scan-plan.ts'

type Ports = { metering: Metering; now: () => number }

/**
 * Returns the plan that the cap allows. Call it after the page of the scan is reserved; that reservation is released if
 * this throws. A plain scan reserves nothing. Throws `ApiProblem`: `too_many_requests` if the cap does not allow the
 * required cloud pages.
 */
export async function reserveCloud(
  { metering, now }: Ports,
  payer: Payer,
  requestId: string,
  plan: ScanPlan,
): Promise<{ plan: ScanPlan; warnings: string[] }> {
  const units = plan.needed + plan.optional
  if (units === 0) return { plan, warnings: [] }
  const wanted = { requestId, kind: 'cloud_page', units, orNone: true } as const
  const {
    granted,
    reason,
    held = 0,
  } = await metering.reserve(payer, wanted).catch(error => {
    metering.release(payer, requestId)
    throw error
  })
  if (granted >= units) return { plan, warnings: [] }
  if (granted >= plan.needed) {
    const warning = reason === 'free_results' ? tooManyFree : onlyPlain
    return { plan: withoutOptional(plan), warnings: [warning] }
  }
  metering.release(payer, requestId)
  const isHeld = granted + held >= plan.needed
  throw refusalOf(payer, {
    reason,
    retryAfterSeconds: secondsToMidnight(now()),
    ...(isHeld && { held }),
  })
}

const onlyPlain = 'the daily cap of cloud pages is used up: only plain HTTP was tried'
const tooManyFree = 'too many cloud attempts of today cost nothing: only plain HTTP was tried'
