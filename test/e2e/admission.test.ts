import { startOrigin } from '@tidemark/testing/origin'
import { test } from 'tap'
import { type System, startSystem } from './system.ts'

const settings = { max_pages: 1, delay_ms: 0, respect_robots: false }

test('Admission under pressure', async t => {
  const system = await startSystem()
  t.teardown(() => system.stop())
  const origin = await startOrigin({ pages: { '/': '<title>One page</title>' } })
  t.teardown(() => origin.close())
  const slow = `${origin.url}/slow/60000`

  await t.test('of 40 requests at once exactly 5 are admitted, in each of 30 rounds', async t => {
    const key = await system.createProject('pressed', '--unlimited')
    for (let round = 1; round <= 30; round++) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => system.call(key, 'POST', '/v1/crawls', { url: slow, ...settings })),
      )
      const admitted = answers.filter(({ status }) => status === 202)
      const refused = answers.filter(({ status }) => status === 429)
      if (admitted.length !== 5 || refused.length !== 35) {
        t.fail(`round ${round}: ${admitted.length} admitted, ${refused.length} refused`)
      }
      if (
        refused.some(
          ({ headers, body }) => !headers.get('retry-after') || body.error.reason !== 'concurrent_runs',
        )
      ) {
        t.fail(`round ${round}: a refusal without Retry-After or reason`)
      }
      await Promise.all(admitted.map(({ body }) => cancel(system, key, body.id)))
    }
    t.pass('30 rounds')
  })

  await t.test('20 requests at once under one Idempotency-Key are one run, for each of 100 keys', async t => {
    const key = await system.createProject('idempotent', '--unlimited')
    const runs = new Set<number>()
    for (let n = 0; n < 100; n++) {
      const headers = { 'idempotency-key': `key-${n}` }
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          system.call(key, 'POST', '/v1/crawls', { url: slow, ...settings }, headers),
        ),
      )
      const ids = new Set(answers.map(({ body }) => body.id))
      const replayed = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')
      if (ids.size !== 1 || answers.some(({ status }) => status !== 202) || replayed.length !== 19) {
        t.fail(`key ${n}: ${[...ids]}, ${answers.map(({ status }) => status)}, ${replayed.length} replayed`)
      }
      const [id = 0] = ids
      runs.add(id)
      await cancel(system, key, id)
    }
    t.equal(runs.size, 100)
  })

  await t.test('a run that was answered is there for whoever asks at once', async t => {
    const keys = await Promise.all(
      Array.from({ length: 4 }, (_, n) => system.createProject(`reader-${n}`, '--unlimited')),
    )
    const missing = await Promise.all(keys.map(key => startAndRead(system, key, `${origin.url}/`, 250)))
    t.strictSame(missing.flat(), [])
  })
})

/** Starts runs one after the other, reads each at once; the answers that were not 200. */
async function startAndRead(system: System, key: string, url: string, times: number): Promise<number[]> {
  const wrong: number[] = []
  for (let n = 0; n < times; n++) {
    const { status, body } = await system.call(key, 'POST', '/v1/crawls', { url, ...settings })
    if (status === 429) {
      await new Promise(resolve => setTimeout(resolve, 50))
      n--
      continue
    }
    const read = await system.call(key, 'GET', `/v1/crawls/${body.id}`)
    if (read.status !== 200 || read.body.id !== body.id) wrong.push(read.status)
  }
  return wrong
}

async function cancel(system: System, key: string, id: number): Promise<void> {
  const { status } = await system.call(key, 'POST', `/v1/crawls/${id}/cancel`)
  if (status !== 200) throw new Error(`cancelling run ${id} answered ${status}`)
}
