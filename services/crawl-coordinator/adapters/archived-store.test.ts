/** Runs that are moved to the archive while they are read. */
import { encodeJson } from '@tidemark/bus/codec'
import { openBus } from '@tidemark/bus/connection'
import type { ArchivedRun, Archives } from '@tidemark/content/archive'
import type { RunCommit, RunEvent } from '@tidemark/contracts/run'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import { memoryEventStore } from '@tidemark/eventstore/memory.scene'
import type { EventStore, Stored } from '@tidemark/eventstore/store'
import { throwawayNats } from '@tidemark/testing/servers'
import { test } from 'tap'
import { admitted, at, finished, key, ordered, queued, settled, started } from '../domain/run.examples.ts'
import { foldRun } from '../handlers/fold-run.ts'
import { archivedStore } from './archived-store.ts'
import { basePages } from './base-pages.ts'
import { runStream } from './run-stream.ts'

const history: RunEvent[][] = [
  [queued()],
  [started, admitted('/', '/a'), ordered(1, '/', '/a')],
  [settled('/', 1)],
  [settled('/a', 2)],
  [finished('exhausted', { discovered: 2, fetched: 2 })],
]

/** Returns the run in a stream that delivers one commit per batch. `between` runs after each batch but the last. */
async function longRun(between: (delivered: number) => void) {
  const memory = memoryEventStore()
  const facts = { at, events: [{ type: 'Told', data: {} }] }
  let version = 0
  for (const events of history) {
    version = await memory.append(subjects.run(1), version, { at, events } satisfies RunCommit)
    await memory.append(subjects.run(2), await lastOf(memory, 2), { at, events } satisfies RunCommit)
  }
  await memory.append(subjects.run(1, 'webhook'), 0, facts)
  let archive: ArchivedRun | null = null
  let removedTo = 0
  const read: EventStore['read'] = async <Commit>(
    subject: string,
    take: (commits: Stored<Commit>[]) => Promise<void>,
  ) => {
    const { commits, version } = await memory.load<Commit>(subject)
    for (const [n, commit] of commits.entries()) {
      if (commit.sequence < removedTo && commit.sequence !== version) continue
      await take([commit])
      if (commit.sequence !== version) between(n + 1)
    }
    return version
  }
  const archives: Pick<Archives, 'read'> = {
    read: async (_runId, after = 0) => (archive !== null && archive.lastSequence > after ? archive : null),
  }
  const kept = await memory.load<RunCommit>(subjects.run(1))
  const commits = kept.commits.map(({ sequence, commit }) => ({
    facet: 'crawl',
    sequence,
    data: Buffer.from(encodeJson(commit)),
  }))
  return {
    store: archivedStore({ ...memory, read }, archives),
    version,
    archiveRun() {
      archive = { runId: 1, lastSequence: version, commits }
    },
    shorten() {
      removedTo = version
    },
    append: memory.append,
  }
}

const lastOf = async (store: EventStore, runId: number) =>
  (await store.last(subjects.run(runId)))?.sequence ?? 0

test('A run that is archived while it is read', async t => {
  const still = await longRun(() => {})
  const whole = await foldRun(still.store, 1)
  t.match(whole, { version: still.version, run: { status: 'done' } })

  for (const delivered of [1, 2, 3, 4]) {
    const run = await longRun(n => {
      if (n !== delivered) return
      run.archiveRun()
      run.shorten()
    })
    const sequences: number[] = []
    const version = await run.store.read(subjects.run(1), async commits => {
      for (const { sequence } of commits) sequences.push(sequence)
    })
    t.equal(version, run.version)
    t.strictSame(
      sequences,
      [1, 3, 5, 7, 9],
      `is read completely if it is shortened after commit ${delivered}`,
    )
  }

  const base = await longRun(n => {
    if (n !== 1) return
    base.archiveRun()
    base.shorten()
  })
  const pages = await basePages(base.store)(1)
  t.ok(pages.get(key('/')) && pages.get(key('/a')), 'is a complete base of a fork')
  t.strictSame(await foldRun(base.store, 1), whole, 'and has the same state afterwards')
})

test('A run that is archived and not yet shortened', async t => {
  const run = await longRun(n => {
    if (n === 2) run.archiveRun()
  })
  const sequences: number[] = []
  const collect = () =>
    run.store.read(subjects.run(1), async commits => {
      for (const { sequence } of commits) sequences.push(sequence)
    })
  await collect()
  t.strictSame(sequences, [1, 3, 5, 7, 9], 'is delivered once')
  sequences.length = 0
  const next = await run.append(subjects.run(1), run.version, { at, events: [] })
  await collect()
  t.strictSame(sequences, [1, 3, 5, 7, 9, next], 'with the commits after its archive')
})

test('A run of the real stream that is archived while it is read', async t => {
  const nats = await throwawayNats()
  t.teardown(() => nats.stop())
  await declareStreams(nats.url)
  const bus = await openBus({ url: nats.url, name: 'test' })
  t.teardown(() => bus.close())
  const [store, stream] = [jetStreamEventStore(bus, streams.runs), runStream(bus)]
  let archive: ArchivedRun | null = null
  const archives: Pick<Archives, 'read'> = {
    read: async (_runId, after = 0) => (archive !== null && archive.lastSequence > after ? archive : null),
  }
  const sequences: number[] = []
  const append = async (events: RunEvent[]) => {
    const commit: RunCommit = { at, events }
    sequences.push(await store.append(subjects.run(1), sequences.at(-1) ?? 0, commit))
  }
  await append([queued()])
  // More than the bus reads ahead, with a commit of another run in between.
  for (let n = 0; n < 1_200; n++) {
    await append([settled(`/${n}`, n + 1)])
    if (n === 1_000) await store.append(subjects.run(2), 0, { at, events: [queued()] })
  }
  await append([finished('exhausted', { discovered: 1_200, fetched: 1_200 })])

  const delivered: number[] = []
  let batches = 0
  const version = await archivedStore(store, archives).read(subjects.run(1), async commits => {
    delivered.push(...commits.map(({ sequence }) => sequence))
    if (++batches > 1) return
    archive = { runId: 1, lastSequence: sequences.at(-1) ?? 0, commits: await stream.read(1, 0) }
    await stream.shorten(1, archive.lastSequence)
  })
  t.equal(version, sequences.at(-1))
  t.equal((await store.load(subjects.run(1))).commits.length, 1)
  t.strictSame(delivered, sequences, 'is read completely')
})
