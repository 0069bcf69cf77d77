import { startOrigin } from '@tidemark/testing/origin'
import { sized } from '@tidemark/testing/tier'
import { test } from 'tap'
import { fiveAtOnce, oneRunAKey, thereAtOnce } from '../chaos/trials/admission.ts'
import { sharedSystem } from './system.ts'

const rounds = sized(3, 10)
const keys = sized(8, 30)
const runs = sized(25, 100)

test('Admission under pressure', async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const origin = await startOrigin({ pages: { '/': '<title>One page</title>' } })
  t.teardown(() => origin.close())
  const slow = async (name: string) => {
    const key = await system.createProject(name, '--unlimited')
    return { system, key, url: `${origin.url}/slow/60000` }
  }

  await t.test(`of 40 requests at once exactly 5 are admitted, in each of ${rounds} rounds`, async t => {
    t.strictSame(await fiveAtOnce(await slow('pressed'), rounds, 40), [])
  })

  await t.test(
    `20 requests at once under one Idempotency-Key are one run, for each of ${keys} keys`,
    async t => {
      t.strictSame(await oneRunAKey(await slow('idempotent'), { keys, requests: 20 }), [])
    },
  )

  await t.test('a run that was answered is there for whoever asks at once', async t => {
    const readers = await Promise.all(Array.from({ length: 4 }, (_, n) => slow(`reader-${n}`)))
    const quick = readers.map(reader => ({ ...reader, url: `${origin.url}/` }))
    const missing = await Promise.all(quick.map(reader => thereAtOnce(reader, runs)))
    t.strictSame(missing.flat(), [])
  })
})
