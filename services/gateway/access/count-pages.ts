/** Counts the pages that the routes bill, for the remaining pages of the day in the responses. */
import { problemOf } from '../http/plugins/problem-of.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import { unitsSpent } from '../metering/domain/metering.ts'
import type { PagesOfDay } from './adapters/pages-left.ts'

/** Returns the metering that routes must use, so that their pages are counted. */
export const countPages = (
  metering: Metering,
  { bill, exhaust }: Pick<PagesOfDay, 'bill' | 'exhaust'>,
): Metering => ({
  ...metering,
  async reserve(payer, wanted) {
    const answer = await metering.reserve(payer, wanted).catch(error => {
      if (problemOf(error).reason === 'daily_pages') exhaust(payer)
      throw error
    })
    if (answer.granted === 0 && answer.reason === 'daily_pages') exhaust(payer)
    return answer
  },
  async served(payer, done) {
    await metering.served(payer, done)
    bill(payer.projectId, unitsSpent(done).page)
  },
})
