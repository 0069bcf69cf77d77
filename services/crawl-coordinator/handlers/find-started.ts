/** The run that an idempotency key has started, for a request that is none of which a run could be made. */
import type { FindStarted, FindStartedAnswer } from '@tidemark/contracts/ask/runs'
import type { Admissions } from '../adapters/admissions.ts'
import { type Ports, replay } from './start-run.ts'

/** Refuses as `startRun` does where that run was deleted (409), or is still being admitted (503). */
export const findStarted =
  ({ store, admissions }: Pick<Ports, 'store'> & { admissions: Pick<Admissions, 'earlier'> }) =>
  async ({ projectId, idempotencyKey: key, fingerprint }: FindStarted): Promise<FindStartedAnswer> => {
    const earlier = await admissions.earlier({ projectId, key, fingerprint: fingerprint ?? '' })
    return { started: earlier && (await replay({ store }, earlier)) }
  }
