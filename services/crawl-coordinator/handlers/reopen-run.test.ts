/** The slot of a run whose failed URLs are retried. */
import { test } from 'tap'
import { admitted, begun, decider, finished, key, ordered, settled } from '../domain/run.examples.ts'
import { type Run, unknown } from '../domain/run.ts'
import { reopenRun } from './reopen-run.ts'
import type { RunKeeper } from './run-keeper.ts'

const ended = [
  ...begun(settled('/', 1), admitted('/a'), ordered(2, '/a')),
  { type: 'PagesFailed' as const, data: { pages: [{ key: key('/a'), reason: 'dns', attempts: 1 }] } },
  finished('exhausted', { discovered: 2, fetched: 1, failed: 1 }),
].reduce(decider.evolve, unknown as Run)

test('A retry that reopens no run returns its slot', async t => {
  const settledSlots: [runId: number, isReopened: boolean][] = []
  // Another process has changed the run, so that the reopening had no effect.
  const keeper = { look: async (of: (run: Run, version: number) => unknown) => of(ended, 9), reopen() {} }
  const retry = reopenRun({
    store: { last: async () => null },
    admissions: {
      find: async () => ({ projectId: 7, isReleased: true }),
      reserve: async () => ({ type: 'reserved' }),
      settle: async (runId, isReopened) => void settledSlots.push([runId, isReopened]),
      release: async () => {},
    },
    keeper: () => keeper as unknown as RunKeeper,
    notifyAwaits: () => {},
  })
  await t.rejects(retry({ projectId: 7, runId: 1 }), { code: 'conflict', reason: 'run_active' })
  t.strictSame(settledSlots, [[1, false]])
})
