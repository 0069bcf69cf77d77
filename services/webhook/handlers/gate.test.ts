import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { openBreakers } from './breakers.ts'
import { openGate } from './gate.ts'

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
    for (let n = 0; n < 2; n++) gate.note('a', true)
    t.strictSame(gate.broken(), [])
    gate.note('a', true)
    t.strictSame(gate.broken(), ['a'])
    const trial = await gate.enter(due(1, 'a'))
    t.ok(trial)
    t.equal(await gate.enter(due(2, 'a')), null)
    t.ok(await gate.enter(due(1, 'a', true)), 'retries keep their times')
    t.ok(await gate.enter(due(1, 'b')))
    gate.note('a', true)
    trial?.[Symbol.dispose]()
    const another = await gate.enter(due(2, 'a'))
    t.ok(another)
    gate.note('a', false)
    t.ok(await gate.enter(due(1, 'a')), 'it is whole again')
  })

  t.test('remembers no more hosts than it must', async t => {
    const breakers = openBreakers(1)
    for (let n = 0; n < 10_500; n++) breakers.note(`host-${n}`, true)
    t.equal(breakers.broken().length, 10_000)
    t.notOk(breakers.broken().includes('host-0'))
  })
})
