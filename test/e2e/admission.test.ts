import { startOrigin } from '@tidemark/testing/origin'
import { test } from 'tap'
import { fiveAtOnce, oneRunAKey, thereAtOnce } from '../chaos/trials/admission.ts'
import { startSystem } from './system.ts'

test('Admission under pressure', async t => {
  const system = await startSystem()
  t.teardown(() => system.stop())
  const origin = await startOrigin({ pages: { '/': '<title>One page</title>' } })
  t.teardown(() => origin.close())
  const slow = async (name: string) => {
    const key = await system.createProject(name, '--unlimited')
    return { system, key, url: `${origin.url}/slow/60000` }
  }

  await t.test('of 40 requests at once exactly 5 are admitted, in each of 10 rounds', async t => {
    t.strictSame(await fiveAtOnce(await slow('pressed'), 10, 40), [])
  })

  await t.test('20 requests at once under one Idempotency-Key are one run, for each of 30 keys', async t => {
    t.strictSame(await oneRunAKey(await slow('idempotent'), { keys: 30, requests: 20 }), [])
  })

  await t.test('a run that was answered is there for whoever asks at once', async t => {
    const readers = await Promise.all(Array.from({ length: 4 }, (_, n) => slow(`reader-${n}`)))
    const quick = readers.map(reader => ({ ...reader, url: `${origin.url}/` }))
    const missing = await Promise.all(quick.map(reader => thereAtOnce(reader, 100)))
    t.strictSame(missing.flat(), [])
  })
})
