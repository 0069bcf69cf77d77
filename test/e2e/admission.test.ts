import { startOrigin } from '@tidemark/testing/origin'
import { sized } from '@tidemark/testing/tier'
import { test } from 'tap'
import { fiveAtOnce, oneRunAKey, thereAtOnce } from '../chaos/trials/admission.ts'
import { sharedSystem } from './system.ts'

const rounds = sized(3, 10)
const keys = sized(8, 30)
const runs = sized(25, 100)

test('Admission under load', async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const origin = await startOrigin({ pages: { '/': '<title>One page</title>' } })
  t.teardown(() => origin.close())
  const slow = async (name: string) => {
    const key = await system.createProject(name, '--unlimited')
    return { system, key, url: `${origin.url}/slow/60000` }
  }

  await t.test(`exactly 5 of 40 concurrent requests are admitted, in each of ${rounds} rounds`, async t => {
    t.strictSame(await fiveAtOnce(await slow('pressed'), rounds, 40), [])
  })

  await t.test(
    `20 concurrent requests with one Idempotency-Key start one run, for each of ${keys} keys`,
    async t => {
      t.strictSame(await oneRunAKey(await slow('idempotent'), { keys, requests: 20 }), [])
    },
  )

  await t.test('a run can be read right after its answer', async t => {
    const readers = await Promise.all(Array.from({ length: 4 }, (_, n) => slow(`reader-${n}`)))
    const quick = readers.map(reader => ({ ...reader, url: `${origin.url}/` }))
    const missing = await Promise.all(quick.map(reader => thereAtOnce(reader, runs)))
    t.strictSame(missing.flat(), [])
  })
})
