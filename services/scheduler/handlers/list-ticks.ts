/** The ticks of a monitor, the latest first. A foreign monitor is a missing one. */
import type { ListTicks, ListTicksAnswer } from '@tidemark/contracts/ask/monitors'
import type { ReadTicks } from '../adapters/tick-list.ts'

export const listTicks =
  (read: ReadTicks) =>
  async (question: ListTicks): Promise<ListTicksAnswer> => ({ ticks: await read(question) })
