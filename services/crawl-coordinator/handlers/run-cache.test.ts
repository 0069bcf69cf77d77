import { memoryEventStore } from '@tidemark/eventstore/memory.scene'
import { test } from 'tap'
import { fairReads } from '../concurrency/fair-reads.ts'
import { cachedByRun } from './run-cache.ts'

test('The cache of values of runs', async t => {
  const readings: string[] = []
  const store = memoryEventStore()
  const read = cachedByRun(
    store,
    { max: 8, fairly: fairReads() },
    async ({ projectId, time }: { projectId: number; runId: number; time: number }) => {
      readings.push(`${projectId} at ${time}`)
      return { version: 0, value: time, span: { from: time, until: time + 1 } }
    },
  )
  const reading = async (projectId: number, time: number) => {
    readings.length = 0
    await read({ projectId, runId: projectId, time })
    return readings.length
  }

  t.equal(await reading(1, 0), 1)
  t.equal(await reading(1, 0), 0, 'has a value that was read')
  for (let time = 1; time <= 20; time++) await reading(2, time)
  t.equal(await reading(1, 0), 0, 'keeps it while another project reads many')
  t.equal(await reading(2, 20), 0)
  t.equal(await reading(2, 1), 1, 'which drop its own oldest ones')
})
