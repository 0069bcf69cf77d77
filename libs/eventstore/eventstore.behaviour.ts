/** The behaviour of every event store. The tests run against each implementation. */
import type { Test } from 'tap'
import { Conflict, type EventStore } from './store.ts'

type Counted = { events: number[] }

/** `subject` returns a name that no other test uses. */
export async function behavesLikeAnEventStore(
  t: Test,
  store: EventStore,
  subject: () => string,
): Promise<void> {
  await t.test('returns nothing for a subject without commits', async t => {
    t.strictSame(await store.load(subject()), { version: 0, commits: [] })
  })

  await t.test('returns the appended commits, in order and with their sequences', async t => {
    const name = subject()
    const versions = await appendAll(store, name, 5)
    const { version, commits } = await store.load<Counted>(name)
    t.equal(version, versions.at(-1))
    t.strictSame(
      commits,
      versions.map((sequence, n) => ({ sequence, commit: { events: [n] } })),
    )
  })

  await t.test('loads only the commits after a known version', async t => {
    const name = subject()
    const versions = await appendAll(store, name, 5)
    const known = versions[1] ?? 0
    const { commits } = await store.load<Counted>(name, known)
    t.strictSame(
      commits.map(({ commit }) => commit.events),
      [[2], [3], [4]],
    )
    t.strictSame(await store.load(name, versions.at(-1)), { version: versions.at(-1), commits: [] })
    const { commits: onlyLast } = await store.load<Counted>(name, versions.at(-2))
    t.strictSame(
      onlyLast.map(({ commit }) => commit.events),
      [[4]],
    )
  })

  await t.test('delivers the commits in batches, and waits until each batch is processed', async t => {
    const name = subject()
    const none: unknown[] = []
    t.equal(await store.read(name, async commits => void none.push(commits)), 0)
    t.strictSame(none, [])
    const versions = await appendAll(store, name, 5)
    const seen: number[] = []
    const version = await store.read<Counted>(name, async commits => {
      await new Promise(resolve => setImmediate(resolve))
      for (const { commit } of commits) seen.push(...commit.events)
    })
    t.equal(version, versions.at(-1))
    t.strictSame(seen, [0, 1, 2, 3, 4])
    await t.rejects(
      store.read(name, () => Promise.reject(new Error('not that'))),
      /not that/,
    )
  })

  await t.test('returns the last commit alone', async t => {
    const name = subject()
    t.equal(await store.last(name), null)
    const versions = await appendAll(store, name, 3)
    t.strictSame(await store.last(name), { sequence: versions.at(-1), commit: { events: [2] } })
  })

  await t.test('lets one of two racing appends win, and the other one fail with a conflict', async t => {
    for (let round = 0; round < 20; round++) {
      const name = subject()
      const racers = [0, 1, 2, 3].map(n => store.append(name, 0, { events: [n] }))
      const results = await Promise.allSettled(racers)
      const losers = results.filter(result => result.status === 'rejected')
      t.equal(losers.length, 3)
      t.ok(losers.every(({ reason }) => reason instanceof Conflict))
      t.equal((await store.load(name)).commits.length, 1)
    }
  })

  await t.test('rejects an append to an outdated version', async t => {
    const name = subject()
    const [first = 0] = await appendAll(store, name, 2)
    await t.rejects(store.append(name, first, { events: ['late'] }), Conflict)
    await t.rejects(store.append(name, 0, { events: ['later'] }), Conflict)
  })

  await t.test('recognises its own commit when it is appended again', async t => {
    const name = subject()
    const first = await store.append(name, 0, { events: ['a'] })
    t.equal(await store.append(name, 0, { events: ['a'] }), first, 'by its content')
    const second = await store.append(name, first, { events: ['b'] }, { id: `${name}:b` })
    t.equal(await store.append(name, first, { events: ['b'] }, { id: `${name}:b` }), second, 'by its name')
    t.equal((await store.load(name)).commits.length, 2)
  })

  await t.test('keeps subjects apart', async t => {
    const [one, other] = [subject(), subject()]
    await appendAll(store, one, 2)
    await store.append(other, 0, { events: ['other'] })
    t.equal((await store.load(one)).commits.length, 2)
    t.equal((await store.load(other)).commits.length, 1)
  })
}

type Append = () => Promise<number>

/**
 * Appends with eight writers until `disturb` resolves. Each commit must be stored once and in order. `persist` repeats
 * an append that fails with an outage.
 */
export async function appendsWithoutConflict(
  t: Test,
  store: EventStore,
  subject: () => string,
  {
    disturb,
    persist = append => append(),
  }: { disturb: () => Promise<void>; persist?: (append: Append) => Promise<number> },
): Promise<void> {
  const writers = Array.from({ length: 8 }, () => ({ name: subject(), version: 0, count: 0 }))
  let isOver = false
  const writing = writers.map(async writer => {
    while (!isOver) {
      const append = () => store.append(writer.name, writer.version, { events: [writer.count] })
      writer.version = await persist(append)
      writer.count++
    }
  })
  await disturb()
  isOver = true
  await Promise.all(writing)
  for (const { name, count, version } of writers) {
    const loaded = await store.load<Counted>(name)
    t.equal(loaded.version, version)
    t.strictSame(
      loaded.commits.map(({ commit }) => commit.events[0]),
      Array.from({ length: count }, (_, n) => n),
    )
  }
  t.comment(`${writers.reduce((sum, { count }) => sum + count, 0)} commits`)
}

async function appendAll(store: EventStore, subject: string, count: number): Promise<number[]> {
  const versions: number[] = []
  for (let n = 0; n < count; n++)
    versions.push(await store.append(subject, versions.at(-1) ?? 0, { events: [n] }))
  return versions
}
