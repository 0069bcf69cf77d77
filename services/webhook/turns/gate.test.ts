import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { openBreakers } from './breakers.ts'
import { openGate } from './gate.ts'
import { openOutstanding } from './outstanding.ts'

const limits = { perHost: 4, perProject: 8, patienceMs: 20, failures: 3 }
const due = (projectId: number, host: string, isRetry = false) => ({ projectId, host, isRetry })

test('The gate', async t => {
  t.test('lets so many to one host, and keeps as many places again for retries', async t => {
    const gate = openGate(limits)
    const first = await Promise.all(Array.from({ length: 6 }, () => gate.enter(due(1, 'a'))))
    t.equal(first.filter(room => room !== null).length, 4)
    const retries = await Promise.all(Array.from({ length: 6 }, () => gate.enter(due(1, 'a', true))))
    t.equal(retries.filter(room => room !== null).length, 4)
    t.ok(await gate.enter(due(2, 'b')), 'another host has its own')
    first[0]?.[Symbol.dispose]()
    first[0]?.[Symbol.dispose]()
    t.equal(await gate.enter(due(1, 'a')), null, 'while retries hold theirs, no new one takes the place')
    for (const room of retries) room?.[Symbol.dispose]()
    t.ok(await gate.enter(due(1, 'a')))
  })

  t.test('gives a place to who waits, and to a retry before all others', async t => {
    const gate = openGate({ ...limits, perHost: 1, patienceMs: 5_000 })
    const [one, two] = [await gate.enter(due(1, 'a')), await gate.enter(due(1, 'a', true))]
    const order: string[] = []
    const waiting = [false, true].map(async isRetry => {
      using room = await gate.enter(due(2, 'a', isRetry))
      order.push(`${isRetry ? 'retry' : 'new'}${room ? '' : ' refused'}`)
      await sleep(1)
    })
    await sleep(1)
    one?.[Symbol.dispose]()
    two?.[Symbol.dispose]()
    await Promise.all(waiting)
    t.strictSame(order, ['retry', 'new'])
  })

  t.test('holds a project to its share, however many hosts it names', async t => {
    const gate = openGate(limits)
    const hosts = Array.from({ length: 20 }, (_, n) => `host-${n}`)
    const rooms = await Promise.all(hosts.map(host => gate.enter(due(1, host))))
    t.equal(rooms.filter(room => room !== null).length, 8)
    t.ok(await gate.enter(due(1, 'host-0', true)), 'retries keep their times')
    t.ok(await gate.enter(due(2, 'host-0')), 'another project has its own')
    for (const room of rooms) room?.[Symbol.dispose]()
    t.ok(await gate.enter(due(1, 'host-9')))
  })

  t.test('asks a host that fails one at a time, until it takes one', async t => {
    const gate = openGate(limits)
    for (let n = 0; n < 2; n++) gate.record('a', true)
    t.strictSame(gate.broken(), [])
    gate.record('a', true)
    t.strictSame(gate.broken(), ['a'])
    const trial = await gate.enter(due(1, 'a'))
    t.ok(trial)
    t.equal(await gate.enter(due(2, 'a')), null)
    t.ok(await gate.enter(due(1, 'a', true)), 'retries keep their times')
    t.ok(await gate.enter(due(1, 'b')))
    gate.record('a', true)
    trial?.[Symbol.dispose]()
    const another = await gate.enter(due(2, 'a'))
    t.ok(another)
    gate.record('a', false)
    t.ok(await gate.enter(due(1, 'a')), 'it is whole again')
  })

  t.test('remembers no more hosts than it must', async t => {
    const breakers = openBreakers(1)
    for (let n = 0; n < 10_500; n++) breakers.record(`host-${n}`, true)
    t.equal(breakers.broken().length, 10_000)
    t.notOk(breakers.broken().includes('host-0'))
  })
})

test('What is announced and has not ended', async t => {
  const shares = { perHost: 4, perProject: 10, inAll: 16, broken: () => ['ill'] }
  const waiting = (first: number, count: number, host = 'a', projectId = 1, isRetry = false) =>
    Array.from({ length: count }, (_, n) => ({ runId: first + n, projectId, host, isRetry }))
  const idsOf = (rows: { runId: number }[]) => rows.map(({ runId }) => runId)

  t.test('is no more of a host than it has places, until it ends some', async t => {
    const outstanding = openOutstanding(shares)
    t.strictSame(idsOf(outstanding.admit(waiting(1, 9))), [1, 2, 3, 4])
    t.strictSame(outstanding.admit(waiting(1, 9)), [], 'none twice')
    t.strictSame(idsOf(outstanding.admit(waiting(21, 9, 'b'))), [21, 22, 23, 24], 'another host has its own')
    outstanding.ended(1, false)
    t.strictSame(
      idsOf(outstanding.admit(waiting(31, 9))),
      [31],
      'one that was put off or failed says nothing of its host',
    )
    outstanding.ended(2, true)
    outstanding.ended(2, true)
    t.strictSame(idsOf(outstanding.admit(waiting(41, 9))), [41, 42], 'one that answers may have one more')
    for (let period = 0; period < 2; period++) outstanding.begin()
    outstanding.ended(3, false)
    t.strictSame(outstanding.admit(waiting(51, 9)), [], 'while it goes on answering')
  })

  t.test(
    'is no more of a project, and over all, than there are places; retries have as many again',
    async t => {
      const outstanding = openOutstanding(shares)
      const hosts = Array.from({ length: 20 }, (_, n) => waiting(100 + n, 1, `host-${n}`)).flat()
      t.equal(outstanding.admit(hosts).length, 10)
      const retries = hosts.map(one => ({ ...one, runId: one.runId + 100, isRetry: true }))
      t.equal(outstanding.admit(retries).length, 10)
      t.equal(outstanding.admit(waiting(300, 1, 'a', 2)).length, 0)
      t.equal(outstanding.admit(waiting(310, 1, 'a', 2, true)).length, 1)
      for (const runId of outstanding.runIds()) outstanding.ended(runId, true)
      t.equal(outstanding.admit(waiting(320, 1, 'a', 2)).length, 1)
    },
  )

  t.test('is two of a host that is asked one at a time', async t => {
    const outstanding = openOutstanding(shares)
    t.strictSame(idsOf(outstanding.admit(waiting(1, 9, 'ill'))), [1, 2])
  })
})
