/**
 * Plausible mistakes, each planted by changing a port or a statement of the simulated services. The simulator must find
 * every one of them. Product code has none of them.
 */
import type { Bus } from '@tidemark/bus/connection'
import type { RunCommit } from '@tidemark/contracts/run'
import { Conflict } from '@tidemark/eventstore/store'
import type { Running } from '../../services/crawl-coordinator/domain/run.ts'
import { plantedInFetcher } from './planted-fetcher.ts'
import type { Seams } from './processes.ts'
import type { Statement } from './store/pool.scene.ts'
import { Transaction } from './store/transaction.ts'

type KeeperParts = Parameters<NonNullable<Seams['keeperParts']>>[0]
type Run = Statement['run']

/** Replaces one statement. */
const changed =
  (text: string, change: (usual: Run, alone: (run: Run) => Run) => Run): NonNullable<Seams['statements']> =>
  (statements, tables) => {
    /** Commits at once, regardless of the result of the transaction. */
    const alone =
      (run: Run): Run =>
      (_, values, sql) => {
        const single = new Transaction(tables)
        const result = single.run(view => run(view, values, sql))
        single.commit()
        return result
      }
    return statements.map(one => (one.text.includes(text) ? { ...one, run: change(one.run, alone) } : one))
  }

const keeperParts = (change: (usual: KeeperParts) => Partial<KeeperParts>): Seams => ({
  keeperParts: usual => ({ ...usual, ...change(usual) }),
})

const checkpointOf = (schema: string): Seams => ({
  statements: changed('.checkpoint set sequence = $5', (usual, alone) => (view, values, sql) => {
    const run = sql.includes(schema) ? alone(usual) : usual
    return run(view, values, sql)
  }),
})

const lockOfUnits = 0x756e
const unlocked: Seams = {
  statements: changed('select pg_advisory_xact_lock', usual => (view, values, sql) => {
    return values[0] === lockOfUnits ? [] : usual(view, values, sql)
  }),
}

function withoutFence(bus: Bus): Bus {
  const publish: Bus['js']['publish'] = (subject, payload, { expect, ...options } = {}) =>
    bus.js.publish(
      subject,
      payload,
      subject.endsWith('.crawl') ? options : { ...options, ...(expect && { expect }) },
    )
  return { ...bus, js: { ...bus.js, publish } as Bus['js'] }
}

/** Does not decide again after a conflict: appends the commit after the commit of the other writer. */
function insistent({ store }: KeeperParts): Pick<KeeperParts, 'store'> {
  const append: KeeperParts['store']['append'] = async (subject, expected, commit, options) => {
    try {
      return await store.append(subject, expected, commit, options)
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
      const last = await store.last<RunCommit>(subject)
      return store.append(subject, last?.sequence ?? 0, commit, options)
    }
  }
  return { store: { ...store, append } }
}

/** All processes of a simulation share the set, so an order is sent at most once. */
function sentOnce(): Seams {
  const sent = new Set<string>()
  return keeperParts(({ send }) => ({
    send: messages => {
      const fresh = messages.filter(({ id }) => !sent.has(id))
      for (const { id } of fresh) sent.add(id)
      send(fresh)
    },
  }))
}

/** Forgets a part of a budget when a run is read again. */
const forgetful = (forget: (run: Running) => void): Seams =>
  keeperParts(({ fold }) => ({
    async fold(runId) {
      const folded = await fold(runId)
      if (folded.run.status === 'running') forget(folded.run)
      return folded
    },
  }))

/** Creates the seams of one simulation. */
type Plant = () => Seams

/** The planted faults by name, each with the number of seeds from 1 on after which it is found. */
export const planted: Readonly<Record<string, { seeds: number; plant: Plant }>> = {
  'an append without the expected sequence': { seeds: 19, plant: () => ({ bus: withoutFence }) },
  'a decision appended after a conflict': { seeds: 19, plant: () => keeperParts(insistent) },
  'an order sent once, also after a crash': { seeds: 9, plant: sentOnce },
  'a slot that a cancelled run keeps': {
    seeds: 8,
    plant: () =>
      keeperParts(({ released }) => ({
        released: async (runId, calledOff, ...end) => {
          if (calledOff === null) await released(runId, calledOff, ...end)
        },
      })),
  },
  'one page above max_pages': {
    seeds: 16,
    plant: () =>
      keeperParts(({ fold }) => ({
        async fold(runId) {
          const folded = await fold(runId)
          const { run } = folded
          if (run.status !== 'running') return folded
          const settings = { ...run.settings, maxPages: run.settings.maxPages + 1 }
          return { ...folded, run: Object.assign(run, { settings }) }
        },
      })),
  },
  'prices in flight that are forgotten when a run is read again': {
    seeds: 18,
    plant: () =>
      forgetful(({ cost }) => {
        if (cost !== null) cost.held = 0
      }),
  },
  'bytes of pages that are forgotten when a run is read again': {
    seeds: 54,
    plant: () =>
      forgetful(({ bytes }) => {
        if (bytes !== null) bytes.spent = 0
      }),
  },
  'page ids of any block': {
    seeds: 32,
    plant: () => keeperParts(({ ids }) => ({ ids: { reserve: count => ids.reserve(count, 0) } })),
  },
  'a cap that holds only while the ledger responds': {
    seeds: 47,
    plant: () =>
      keeperParts(({ hold }) => ({
        hold: question => hold(question).catch(() => ({ granted: question.upTo, reason: null })),
      })),
  },
  'a fork that does not know the pages of its base': {
    seeds: 7,
    plant: () => keeperParts(() => ({ basePages: async () => new Map() })),
  },
  'grants of a project without its lock': { seeds: 1956, plant: () => unlocked },
  'an idempotency key that is not stored': {
    seeds: 1,
    plant: () => ({
      statements: changed('insert into coordinator.idempotency_key', () => () => []),
    }),
  },
  'an outbox row removed before it is published': {
    seeds: 18,
    plant: () => ({
      statements: changed('for update of row skip locked', usual => (view, values, sql) => {
        const rows = usual(view, values, sql)
        const [, schema] = /(\w+)\.outbox/.exec(sql) ?? []
        if (Array.isArray(rows)) for (const { id } of rows) view.remove(`${schema}.outbox`, id)
        return rows
      }),
    }),
  },
  'a checkpoint of the ledger outside of its transaction': { seeds: 9, plant: () => checkpointOf('ledger') },
  'a checkpoint of the webhooks outside of its transaction': {
    seeds: 243,
    plant: () => checkpointOf('webhook'),
  },
  ...plantedInFetcher,
}
