/** The keys of a project, dead ones too, without their secrets. */
import type { ListKeys, ListKeysAnswer } from '@tidemark/contracts/ask/keys'
import type { Keys } from '../adapters/keys.ts'

export const listKeys =
  (keys: Pick<Keys, 'list'>) =>
  async ({ projectId }: ListKeys): Promise<ListKeysAnswer> => ({ items: await keys.list(projectId) })
