/** What is known of who pays for a project. */
import { refuse } from '@tidemark/bus/ask'
import type { ReadBilling, ReadBillingAnswer } from '@tidemark/contracts/ask/signup'

export const readBilling =
  (find: (projectId: number) => Promise<ReadBillingAnswer | null>) =>
  async ({ projectId }: ReadBilling): Promise<ReadBillingAnswer> => {
    const billing = await find(projectId)
    if (billing === null) throw refuse('not_found')
    return billing
  }
