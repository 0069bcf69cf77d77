import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { throwawayNats } from '@tidemark/testing/servers'
import { test } from 'tap'
import { Type } from 'typebox'
import { jsonParser } from '../codec.ts'
import { openBus } from '../connection.ts'
import { consume } from '../consume.ts'
import { publish } from '../publish.ts'
import { ack } from '../verdict.ts'

const numbered = jsonParser(Type.Object({ n: Type.Integer() }))

/** Simulates a rare result of `kill -9` on an emptied queue: no blocks, so that the stream begins at 1 again. */
async function forgetSequences(storeDir: string): Promise<void> {
  const streams = join(storeDir, 'jetstream', '$G', 'streams', 'WORK', 'msgs')
  for (const file of await readdir(streams)) await rm(join(streams, file), { recursive: true })
}

test('A work queue that begins at 1 again after a kill is delivered completely', async t => {
  const server = await throwawayNats()
  const bus = await openBus({ url: server.url, name: 'test' })
  t.teardown(async () => {
    await bus.close()
    await server.stop()
  })
  await bus.jsm.streams.add({ name: 'WORK', subjects: ['work'], retention: 'workqueue', allow_direct: true })
  await bus.jsm.consumers.add('WORK', {
    durable_name: 'worker',
    filter_subject: 'work',
    ack_policy: 'explicit',
  })
  const publishSome = async (count: number) => {
    for (let n = 1; n <= count; n++) await publish(bus, 'work', JSON.stringify({ n }))
  }
  const consumed = async (count: number, meanwhile = async () => {}) => {
    const stop = new AbortController()
    const seen: number[] = []
    const reported: string[] = []
    const handle = async ({ n }: { n: number }) => {
      if (seen.push(n) === count) stop.abort()
      return ack
    }
    const limit = setTimeout(() => stop.abort(), 10_000)
    const report = (error: unknown) => reported.push(String(error))
    const options = { stream: 'WORK', consumer: 'worker', parse: numbered, handle, report }
    await Promise.all([consume(bus, { ...options, concurrency: 5, signal: stop.signal }), meanwhile()])
    clearTimeout(limit)
    return {
      seen: seen.sort((a, b) => a - b),
      wasMended: reported.some(text => text.includes('lost its position')),
    }
  }
  const fallBack = async () => {
    await sleep(1_500) // the server stores the position of a consumer within a second
    await server.kill()
    await forgetSequences(server.dir)
    await server.restart()
  }

  await publishSome(20)
  t.equal((await consumed(20)).wasMended, false, 'nothing is wrong at first')

  await fallBack()
  await publishSome(3)
  t.strictSame(await consumed(3), { seen: [1, 2, 3], wasMended: true }, 'messages before the first check')

  await publishSome(20)
  await consumed(20)
  await fallBack()
  const late = () => sleep(1_000).then(() => publishSome(2))
  t.strictSame(await consumed(2, late), { seen: [1, 2], wasMended: true }, 'messages after it')

  await publishSome(4)
  t.strictSame(await consumed(4), { seen: [1, 2, 3, 4], wasMended: false })
})
