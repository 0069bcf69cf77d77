import { once } from 'node:events'
import type { Heartbeat } from '@tidemark/contracts/heartbeat'
import { notifications } from '@tidemark/contracts/subjects'
import { surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { defineDatabase } from './database.ts'
import { runService, type ServiceOptions, type Serving } from './run-service.ts'

const database = defineDatabase({ schema: 'served', entities: [], migrations: {} })

test('A service on bus and database', async t => {
  const { env, bus } = await surroundings(t, { database, declare: async () => {} })
  const settings = { ...env, INSTANCE: 'one' }
  const follow = () => new DisposableStack()
  const options: ServiceOptions = {
    name: 'served',
    settings,
    database,
    poolSize: 2,
    report: Object.assign((error: unknown) => t.fail(`${error}`), { follow }),
  }
  const beats: Heartbeat[] = []
  bus.nc.subscribe(notifications.heartbeat('served'), {
    callback: (_, message) => void beats.push(message.json()),
  })
  await bus.nc.flush()

  const steps: string[] = []
  const note = async (step: string, { bus, db }: Serving) => {
    const { rowCount } = await db.pool.query('select 1')
    steps.push(`${step}${rowCount === 1 && !bus.nc.isClosed() ? '' : ' too late'}`)
  }
  let opened: Serving['bus']
  const begin = (serving: Serving) => {
    opened = serving.bus
    serving.started.defer(() => note('put back', serving))
    const ended = once(serving.signal, 'abort').then(() => note('ended', serving))
    return { ended, check: () => 'it is only a test' }
  }

  t.test('beats under its name, with its fault', async t => {
    const service = await runService(options, new AbortController().signal, begin)
    await until(() => beats.length > 0)
    t.strictSame(beats[0], {
      service: 'served',
      instance: 'one',
      status: 'fail',
      cause: 'it is only a test',
    })
    await service[Symbol.asyncDispose]()
  })

  t.test('ends its work, disposes its resources, and closes bus and database last', async t => {
    t.strictSame(steps, ['ended', 'put back'])
    t.ok(opened.nc.isClosed())
  })

  t.test('begins to stop at the signal, before it is disposed', async t => {
    const stop = new AbortController()
    const service = await runService(options, stop.signal, begin)
    stop.abort()
    await until(() => steps.length === 3)
    await service[Symbol.asyncDispose]()
    t.strictSame(steps.slice(2), ['ended', 'put back'])
  })

  t.test('keeps nothing open when it cannot start', async t => {
    const broken = runService(options, new AbortController().signal, ({ bus }) => {
      opened = bus
      throw new Error('broken')
    })
    await t.rejects(broken, { message: 'broken' })
    t.ok(opened.nc.isClosed())
  })

  t.test('ends its work when its heartbeats cannot begin', async t => {
    let isEnded = false
    const broken = runService(options, new AbortController().signal, ({ signal }) => ({
      ended: once(signal, 'abort').then(() => (isEnded = true)),
      check() {
        throw new Error('broken')
      },
    }))
    await t.rejects(broken, { message: 'broken' })
    t.ok(isEnded)
  })
})
