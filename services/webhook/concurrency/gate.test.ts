import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { openBreakers } from './breakers.ts'
import { openGate } from './gate.ts'
import { openOutstanding } from './outstanding.ts'

const limits = { perHost: 4, perProject: 8, patienceMs: 20, failures: 3 }
const due = (projectId: number, host: string, isRetry = false) => ({ projectId, host, isRetry })

test('The gate', async t => {
  t.test('limits new deliveries to one host, and retries to the same number again', async t => {
    const gate = openGate(limits)
    const first = await Promise.all(Array.from({ length: 6 }, () => gate.enter(due(1, 'a'))))
    t.equal(first.filter(slots => slots !== null).length, 4)
    const retries = await Promise.all(Array.from({ length: 6 }, () => gate.enter(due(1, 'a', true))))
    t.equal(retries.filter(slots => slots !== null).length, 4)
    t.ok(await gate.enter(due(2, 'b')), 'another host has its own slots')
    first[0]?.[Symbol.dispose]()
    first[0]?.[Symbol.dispose]()
    t.ok(await gate.enter(due(1, 'a')), 'while retries hold their slots')
    t.equal(await gate.enter(due(1, 'a')), null, 'but only one, for the slot that became free')
    retries[0]?.[Symbol.dispose]()
    t.equal(await gate.enter(due(1, 'a')), null, 'slots of retries are for retries')
    t.ok(await gate.enter(due(1, 'a', true)))
  })

  t.test('leaves the slots of new deliveries free of the retries of another project', async t => {
    const gate = openGate(limits)
    const retries = await Promise.all(Array.from({ length: 20 }, () => gate.enter(due(1, 'shared', true))))
    t.equal(retries.filter(slots => slots !== null).length, 4)
    const others = await Promise.all(Array.from({ length: 4 }, () => gate.enter(due(2, 'shared'))))
    t.ok(others.every(slots => slots !== null))
    t.ok(await gate.enter(due(1, 'b')), 'and those of its own at other hosts')
  })

  t.test('gives a free slot to the deliveries that wait for one of its kind', async t => {
    const gate = openGate({ ...limits, perHost: 1, patienceMs: 5_000 })
    const [one, two] = [await gate.enter(due(1, 'a')), await gate.enter(due(1, 'a', true))]
    const order: string[] = []
    const waiting = [false, true].map(async isRetry => {
      using slots = await gate.enter(due(2, 'a', isRetry))
      order.push(`${isRetry ? 'retry' : 'new'}${slots ? '' : ' refused'}`)
      await sleep(1)
    })
    await sleep(1)
    two?.[Symbol.dispose]()
    await sleep(1)
    t.strictSame(order, ['retry'])
    one?.[Symbol.dispose]()
    await Promise.all(waiting)
    t.strictSame(order, ['retry', 'new'])
  })

  t.test('keeps a waiting delivery in line when the wait of an earlier one would have ended', async t => {
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    const gate = openGate({ ...limits, perHost: 1, patienceMs: 100 })
    const first = await gate.enter(due(1, 'a'))
    const earlier = gate.enter(due(1, 'a'))
    first?.[Symbol.dispose]()
    const slots = await earlier
    mock.timers.tick(50)
    const waiting = gate.enter(due(1, 'a'))
    mock.timers.tick(60)
    slots?.[Symbol.dispose]()
    mock.timers.tick(50)
    t.ok(await waiting)
  })

  t.test('limits a project to its slots over all hosts', async t => {
    const gate = openGate(limits)
    const hosts = Array.from({ length: 20 }, (_, n) => `host-${n}`)
    const rooms = await Promise.all(hosts.map(host => gate.enter(due(1, host))))
    t.equal(rooms.filter(slots => slots !== null).length, 8)
    t.ok(await gate.enter(due(1, 'host-0', true)), 'retries keep their times')
    t.ok(await gate.enter(due(2, 'host-0')), 'another project has its own slots')
    for (const slots of rooms) slots?.[Symbol.dispose]()
    t.ok(await gate.enter(due(1, 'host-9')))
  })

  t.test('sends a failing host one delivery at a time, until it accepts one', async t => {
    const gate = openGate(limits)
    const endpoint = { projectId: 1, host: 'a' }
    for (let n = 0; n < 2; n++) gate.record(endpoint, true)
    t.strictSame(gate.broken(), [])
    gate.record(endpoint, true)
    t.strictSame(gate.broken(), [endpoint])
    t.ok(await gate.enter(due(1, 'a', true)), 'a retry is no trial')
    const trial = await gate.enter(due(1, 'a'))
    t.ok(trial)
    t.equal(await gate.enter(due(1, 'a')), null)
    t.ok(await gate.enter(due(1, 'a', true)), 'retries keep their times')
    t.ok(await gate.enter(due(1, 'b')))
    gate.record(endpoint, true)
    trial?.[Symbol.dispose]()
    const another = await gate.enter(due(1, 'a'))
    t.ok(another)
    gate.record(endpoint, false)
    t.ok(await gate.enter(due(1, 'a')), 'it is repaired')
  })

  t.test('sends the deliveries of other projects to a host that fails for one', async t => {
    const gate = openGate(limits)
    for (let n = 0; n < 100; n++) gate.record({ projectId: 1, host: 'shared' }, true)
    t.ok(await gate.enter(due(1, 'shared')))
    for (let n = 0; n < 3; n++) t.ok(await gate.enter(due(2, 'shared')))
    t.equal(await gate.enter(due(1, 'shared')), null)
    gate.record({ projectId: 2, host: 'shared' }, false)
    t.strictSame(
      gate.broken(),
      [{ projectId: 1, host: 'shared' }],
      'and a success of another repairs nothing',
    )
  })

  t.test('limits the number of recorded endpoints, and drops those of the project with the most', async t => {
    const breakers = openBreakers(1)
    breakers.record({ projectId: 2, host: 'oldest' }, true)
    for (let n = 0; n < 10_500; n++) breakers.record({ projectId: 1, host: `host-${n}` }, true)
    const broken = breakers.broken()
    t.equal(broken.length, 10_000)
    t.strictSame(broken[0], { projectId: 2, host: 'oldest' })
    t.strictSame(broken[1], { projectId: 1, host: 'host-501' })
    for (const endpoint of broken) breakers.record(endpoint, false)
    t.strictSame(breakers.broken(), [])
    breakers.record({ projectId: 1, host: 'host-0' }, true)
    t.equal(breakers.broken().length, 1, 'the count is exact after they are repaired')
  })
})

test('The number of announced deliveries that have not ended', async t => {
  const shares = { perHost: 4, perProject: 10, inAll: 16, broken: () => [{ projectId: 1, host: 'ill' }] }
  const waiting = (first: number, count: number, host = 'a', projectId = 1, isRetry = false) =>
    Array.from({ length: count }, (_, n) => ({ runId: first + n, projectId, host, isRetry }))
  const idsOf = (rows: { runId: number }[]) => rows.map(({ runId }) => runId)

  t.test('is at most the number of slots of a host, until some end', async t => {
    const outstanding = openOutstanding(shares)
    t.strictSame(idsOf(outstanding.admit(waiting(1, 9))), [1, 2, 3, 4])
    t.strictSame(outstanding.admit(waiting(1, 9)), [], 'none twice')
    t.strictSame(
      idsOf(outstanding.admit(waiting(21, 9, 'b'))),
      [21, 22, 23, 24],
      'another host has its own slots',
    )
    outstanding.ended(1, false)
    t.strictSame(
      idsOf(outstanding.admit(waiting(31, 9))),
      [31],
      'postponed and failed deliveries do not raise the capacity of their host',
    )
    outstanding.ended(2, true)
    outstanding.ended(2, true)
    t.strictSame(idsOf(outstanding.admit(waiting(41, 9))), [41, 42], 'a host that responds may have one more')
    for (let period = 0; period < 2; period++) outstanding.begin()
    outstanding.ended(3, false)
    t.strictSame(outstanding.admit(waiting(51, 9)), [], 'while it continues to respond')
  })

  t.test(
    'is at most the number of slots of a project and over all, and the same number again for retries',
    async t => {
      const outstanding = openOutstanding(shares)
      const hosts = Array.from({ length: 20 }, (_, n) => waiting(100 + n, 1, `host-${n}`)).flat()
      t.equal(outstanding.admit(hosts).length, 10)
      const retries = hosts.map(one => ({ ...one, runId: one.runId + 100, isRetry: true }))
      t.equal(outstanding.admit(retries).length, 10)
      const of2 = hosts.map(one => ({ ...one, runId: one.runId + 200, projectId: 2 }))
      t.equal(outstanding.admit(of2).length, 6)
      const retriesOf2 = of2.map(one => ({ ...one, runId: one.runId + 100, isRetry: true }))
      t.equal(outstanding.admit(retriesOf2).length, 6)
      for (const runId of outstanding.runIds()) outstanding.ended(runId, true)
      t.equal(outstanding.admit(waiting(420, 1, 'a', 2)).length, 1)
    },
  )

  t.test('has no lower limit for retries to a broken endpoint', async t => {
    const outstanding = openOutstanding(shares)
    t.equal(outstanding.admit(waiting(1, 9, 'ill', 1, true)).length, 4)
    t.equal(outstanding.admit(waiting(21, 9, 'ill')).length, 2, 'new ones have their own number')
    t.equal(
      outstanding.admit(waiting(31, 9, 'ill', 2)).length,
      2,
      'and others the rest of the slots of the host',
    )
  })

  t.test('is two for a broken endpoint, until one ends', async t => {
    const outstanding = openOutstanding(shares)
    t.strictSame(idsOf(outstanding.admit(waiting(1, 9, 'ill'))), [1, 2])
    t.strictSame(
      idsOf(outstanding.admit(waiting(21, 9, 'ill', 2))),
      [21, 22],
      'others get the slots of the host',
    )
    outstanding.ended(1, false)
    t.strictSame(idsOf(outstanding.admit(waiting(31, 9, 'ill'))), [31])
  })
})
