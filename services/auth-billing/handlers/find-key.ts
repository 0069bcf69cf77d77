/** What a gateway must know to judge a key: found by its prefix, which proves nothing yet. */
import type { FindKey, FindKeyAnswer } from '@tidemark/contracts/ask/accounts'
import type { Accounts } from '../adapters/accounts.ts'

export const findKey =
  (accounts: Accounts) =>
  async ({ prefix }: FindKey): Promise<FindKeyAnswer> => ({ key: await accounts.findKey(prefix) })
