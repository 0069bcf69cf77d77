/** Counts the pages that the routes bill, for the remaining pages of the day in the responses. */
import { problemOf } from '../http/requests/problem-of.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import { isForReservations, unitsSpent } from '../metering/domain/metering.ts'
import type { PagesOfDay } from './adapters/pages-left.ts'

/** Returns the metering that routes must use, so that their pages are counted. */
export const countPages = (
  metering: Metering,
  { bill, exhaust }: Pick<PagesOfDay, 'bill' | 'exhaust'>,
): Metering => ({
  ...metering,
  async reserve(payer, wanted) {
    const answer = await metering.reserve(payer, wanted).catch(error => {
      const problem = problemOf(error)
      if (problem.reason === 'daily_pages' && !isForReservations(problem)) exhaust(payer)
      throw error
    })
    const { granted, reason, held = 0 } = answer
    if (granted === 0 && reason === 'daily_pages' && held === 0) exhaust(payer)
    return answer
  },
  async served(payer, done) {
    await metering.served(payer, done)
    bill(payer.projectId, unitsSpent(done).page)
  },
})
