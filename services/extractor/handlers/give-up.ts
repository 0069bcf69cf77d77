/** What is said of pages whose message is given up: each fails, so that no run waits for them for ever. */
import type { PublishOutcomes } from '../adapters/outcomes.ts'
import type { Arrived } from '../adapters/read-frame.ts'
import { failureOf } from '../domain/failure.ts'

/** Resolves when the failures are stored. Nothing can be said of a message that cannot be read. */
export const giveUpPages =
  (publish: PublishOutcomes) =>
  async (work: Arrived[] | null): Promise<void> =>
    publish((work ?? []).map(({ page }) => failureOf(page, 'given_up')))
