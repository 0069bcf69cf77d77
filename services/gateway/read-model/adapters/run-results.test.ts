import type { OfProject } from '@tidemark/db/of-project'
import { test } from 'tap'
import { cachedByRun } from './run-results.ts'

const run = { projectId: 7, runId: 1 }

/** A database with the ends of runs. */
function runs() {
  const ends = new Map<number, string | null>([[1, null]])
  const query = async (_: string, [runId]: [number]) => ({
    rows: ends.has(runId) ? [{ end: ends.get(runId) }] : [],
  })
  return { ends, reads: (() => ({ query })) as unknown as OfProject }
}

test('Results of runs', async t => {
  t.test('are valid until another end, and for five seconds while the run is active', async t => {
    const { ends, reads } = runs()
    let [time, computed] = [0, 0]
    const result = cachedByRun(reads, async () => ++computed, { max: 4, now: () => time })
    t.strictSame([await result(run), await result(run)], [1, 1])
    time = 4_999
    t.equal(await result(run), 1)
    time = 5_000
    t.equal(await result(run), 2)
    ends.set(1, '2026-01-02 03:04:05+00')
    t.equal(await result(run), 3)
    time = 1e9
    t.equal(await result(run), 3, 'of an ended run for any time')
    ends.set(1, null)
    t.equal(await result(run), 4, 'reopened')
    ends.set(1, '2026-01-02 04:04:05+00')
    t.strictSame([await result(run), await result(run)], [5, 5])
  })

  t.test('are those of the pages that count, for a run as of an earlier time', async t => {
    const { reads } = runs()
    const result = cachedByRun(reads, async ({ upTo }: { upTo?: number }) => upTo ?? 'all', { max: 4 })
    for (const _ of [1, 2]) {
      t.equal(await result(run), 'all')
      t.equal(await result({ ...run, upTo: 0 }), 0)
      t.equal(await result({ ...run, upTo: 17 }), 17)
    }
  })

  t.test('are computed once for concurrent callers, until the last one has left', async t => {
    const { reads } = runs()
    const begun: { signal: AbortSignal; complete: (n: number) => void }[] = []
    const compute = (_: object, signal: AbortSignal) =>
      new Promise<number>((complete, fail) => {
        begun.push({ signal, complete })
        signal.addEventListener('abort', () => fail(signal.reason))
      })
    const result = cachedByRun(reads, compute, { max: 4 })
    const [first, second] = [new AbortController(), new AbortController()]
    const both = [result(run, first.signal), result(run, second.signal)]
    await new Promise(setImmediate)
    first.abort()
    await t.rejects(Promise.resolve(both[0]), { name: 'AbortError' })
    t.strictSame([begun.length, begun[0]?.signal.aborted], [1, false])
    second.abort()
    await t.rejects(Promise.resolve(both[1]), { name: 'AbortError' })
    t.equal(begun[0]?.signal.aborted, true)
    const third = result(run)
    await new Promise(setImmediate)
    t.equal(begun.length, 2, 'a stopped computation is of no use to a later caller')
    begun[1]?.complete(5)
    t.strictSame([await third, await result(run)], [5, 5])
    await t.rejects(result(run, AbortSignal.abort()), { name: 'AbortError' })
  })

  t.test('are dropped on failure, and beyond the number of cached ones', async t => {
    const { ends, reads } = runs()
    for (const runId of [2, 3]) ends.set(runId, 'then')
    let computed = 0
    const compute = async ({ runId }: { runId: number }) => {
      computed += 1
      if (computed === 1) throw new Error('away')
      return runId
    }
    const result = cachedByRun(reads, compute, { max: 2 })
    await t.rejects(result(run), { message: 'away' })
    for (const runId of [1, 2, 1, 3, 1]) t.equal(await result({ projectId: 7, runId }), runId)
    t.equal(computed, 4)
    t.equal(await result({ projectId: 7, runId: 2 }), 2)
    t.equal(computed, 5, 'the run used least recently was dropped')
    for (const _ of [1, 2]) t.equal(await result({ projectId: 8, runId: 9 }), 9)
    t.equal(computed, 7, 'runs that the project does not have are not cached')
  })
})
