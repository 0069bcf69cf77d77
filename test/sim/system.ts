/** A simulated installation: servers, sites, and processes that are started again when they end. */

import type { RunEnded } from '@tidemark/contracts/notifications'
import { consumers, notifications, streams } from '@tidemark/contracts/subjects'
import { consumerSpecs, streamSpecs } from '@tidemark/deploy/nats/streams'
import { busOf } from './bus/client.scene.ts'
import { Connection } from './bus/connection.scene.ts'
import { JetStream } from './bus/jetstream.scene.ts'
import { Network } from './bus/network.scene.ts'
import { Checker } from './checks/checker.ts'
import type { Faults } from './faults.ts'
import {
  accounts,
  coordinator,
  ledger,
  type Seams,
  type Surroundings,
  type Terms,
  webhook,
} from './processes.ts'
import type { Random } from './random.ts'
import { RedisServer } from './redis/server.scene.ts'
import { ofCoordinator } from './store/of-coordinator.ts'
import { ofLedger } from './store/of-ledger.ts'
import { ofLibs } from './store/of-libs.ts'
import { ofWebhook } from './store/of-webhook.ts'
import { Store } from './store/pool.scene.ts'
import { Tables } from './store/tables.ts'
import { Transaction } from './store/transaction.ts'
import { crawlsOf, runCrawl } from './tenants.ts'
import { simulatedRoutes } from './web/client.scene.ts'
import { Contents } from './web/contents.ts'
import { extractor } from './web/extracting.ts'
import { fetcher } from './web/fetching.ts'
import { Site } from './web/site.ts'
import { type Task, Violation, type World } from './world.ts'

type Main = (around: Surroundings, self: Task) => Promise<unknown>
export type Process = { name: string; main: Main; task: Task | null; connection: Connection | null }

/** Shards of a simulation: more than the runs that a seed can start. */
const shardCount = 9
/** Every seed that is a multiple of this has two ledgers. */
const twoLedgers = 6
/** Every seed that is a multiple of this has forks. */
const forkedSeeds = 7
/** Errors that no fault of the surroundings explains. */
const unexpected = new Set([
  'TypeError',
  'RangeError',
  'ReferenceError',
  'Undecidable',
  'Unprojectable',
  'Terminated',
])
const restartMs = [200, 15_000] as const

export class System {
  readonly network: Network
  readonly redis: RedisServer
  readonly store: Store
  readonly checker: Checker
  readonly processes: Process[] = []
  readonly #world: World
  readonly #faults: Faults
  readonly #random: Random
  readonly #sites: Site[]
  readonly #contents = new Contents()
  readonly #terms: Terms
  readonly #seams: Seams
  #clientsLeft = 0

  constructor(world: World, faults: Faults, seams: Seams) {
    this.#world = world
    this.#faults = faults
    this.#random = world.random.fork()
    const tables = new Tables(() => world.now)
    const timing = {
      now: () => world.now,
      after: (ms: number, act: () => void) => void world.after(ms, act, null),
    }
    const specs = streamSpecs({}).map(({ duplicate_window: window, ...spec }) => ({
      ...spec,
      duplicateMs: window / 1e6,
    }))
    const stored: ConstructorParameters<typeof JetStream>[2] = (stream, message) =>
      this.#stored(stream, message)
    const jetstream = new JetStream(specs, timing, stored)
    this.network = new Network(world, faults, jetstream)
    const known = [...ofLibs, ...ofCoordinator, ...ofLedger, ...ofWebhook]
    this.store = new Store(world, faults, tables, seams.statements?.(known, tables) ?? known)
    this.#seams = seams
    const cap = this.#random.pick([null, null, 5, 30])
    this.#terms = { tier: 'free', caps: cap === null ? {} : { pagesPerDay: cap } }
    const names = ['a', 'b'].slice(0, this.#random.between(1, 2))
    this.#sites = names.map(name => new Site(this.#random, name, world.now))
    this.checker = new Checker({ world, jetstream, tables, terms: this.#terms, sites: this.#sites })
    this.redis = new RedisServer(world, faults, this.checker.requests.troubles.add)
    this.#declare(tables)
  }

  #declare(tables: Tables): void {
    const shards = Array.from({ length: shardCount }, (_, shard) => shard)
    const setUp = new Transaction(tables)
    setUp.run(view => {
      for (const shard of shards)
        view.put('coordinator.shard_lease', shard, { shard, owner: null, epoch: 0, until: 0 })
    })
    setUp.commit()
    const wanted = new Set([
      consumers.fetcher('http'),
      consumers.extractor,
      ...shards.map(shard => consumers.coordinator(`0${shard}`)),
    ])
    for (const {
      stream,
      durable_name: name,
      filter_subject,
      max_ack_pending: maxAckPending,
    } of consumerSpecs)
      if (wanted.has(name))
        this.network.jetstream
          .stream(stream)
          .addConsumer(
            { name, filters: [filter_subject], acks: true, ackWaitMs: 10_000, maxAckPending, from: 1 },
            this.network.deliver,
          )
  }

  /** Starts all processes, and the clients with their crawls. */
  start(): void {
    const instances = this.#random.pick([1, 2, 2, 3])
    for (let n = 1; n <= instances; n++)
      this.#begin(`coordinator-${n}`, around =>
        coordinator(`coordinator-${n}`, { ...around, seams: this.#seams }),
      )
    const ledgers = this.#world.seed % twoLedgers === 0 ? 2 : 1
    for (let n = 1; n <= ledgers; n++) this.#begin(`ledger-${n}`, around => ledger(around))
    this.#begin('webhook', around => webhook(around))
    this.#begin('auth-billing', around => accounts(around, this.#terms))
    for (let n = 1; n <= 2; n++) {
      this.#begin(`fetcher-${n}`, (around, self) => this.#fetch(around, self))
      this.#begin(`extractor-${n}`, (around, self) => this.#extract(around, self))
    }
    const crawls = crawlsOf(this.#random, this.#sites, this.#world.seed % forkedSeeds === 0)
    this.#clientsLeft = crawls.length
    this.checker.maxRuns = crawls.length + crawls.filter(({ fork }) => fork !== null).length
    this.#begin('clients', async ({ bus }, self) => {
      // After a restart the clients repeat all their requests.
      self.onEnd.push(() => {
        this.#clientsLeft = crawls.length
      })
      const confirmed = (what: (typeof this.checker.confirmed)[number]) =>
        void this.checker.confirmed.push(what)
      const ports = { world: this.#world, bus, terms: this.#terms, confirmed }
      await Promise.all(
        crawls.map(async (crawl, n) => {
          await runCrawl(ports, crawl, `key-${n}`)
          this.#clientsLeft--
        }),
      )
    })
  }

  #fetch(around: Surroundings, self: Task): Promise<void> {
    const world = this.#world
    const siteOf = (url: string) => this.#sites.find(site => site.has(url))
    const opened = this.redis.open(self)
    const { requests } = this.checker
    const running = fetcher(self.name, {
      ...around,
      bus: this.#seams.fetcherBus?.(around.bus) ?? around.bus,
      redis: this.#seams.redis?.(opened) ?? opened,
      routeOf: simulatedRoutes({ world, task: self, siteOf, watch: requests }),
    })
    // The check receives a message after the fetcher, which has subscribed before.
    around.bus.nc.subscribe(notifications.runEnded, {
      callback: (_, message) => requests.received(self, message.json<RunEnded>()),
    })
    return running
  }

  #extract(around: Surroundings, self: Task): Promise<void> {
    const call = <T>(what: string, act: () => T): Promise<T> =>
      this.store.call(self, what, done => done(act()))
    return extractor({ ...around, ...this.#contents.open(call) })
  }

  /** Returns why the system is not at rest, or null. */
  unrest(): string | null {
    // A paused process may still carry out requests that its clients have given up.
    const paused = this.processes.find(({ task }) => (task?.pausedUntil ?? 0) > this.#world.now)
    if (paused !== undefined) return `${paused.name} is paused`
    return this.#clientsLeft > 0 ? 'clients wait for a response' : this.checker.unrest()
  }

  /** Pauses a process: its events wait until the end of the pause. */
  pause({ name, task }: Process, ms: number): void {
    if (task === null) return
    // A shorter second pause must not let later events overtake earlier ones.
    task.pausedUntil = Math.max(task.pausedUntil, this.#world.now + ms)
    this.checker.requests.troubles.add(name, this.#world.now, task.pausedUntil)
    this.#world.record(`${name}: paused for ${Math.round(ms / 1000)} s`)
  }

  /** Fails the simulation for errors that no fault explains. */
  readonly #report = (error: unknown): void => {
    const name = error instanceof Error ? error.name : ''
    this.#world.record(`${this.#world.current?.name} reports ${error}`)
    if (unexpected.has(name)) this.#world.fail(error)
  }

  #begin(name: string, main: Main): void {
    const process: Process = { name, main, task: null, connection: null }
    this.processes.push(process)
    this.#run(process)
  }

  #run(process: Process): void {
    const { name, main } = process
    const world = this.#world
    world.record(`${name}: starts`)
    const restart = () => {
      world.record(`${name}: has crashed`)
      const ms = this.#faults.isHealed ? 1_000 : this.#random.between(...restartMs)
      world.after(ms, () => this.#run(process), null)
    }
    // The process may crash before its first `await`.
    process.task = world.start(name, restart, async self => {
      const connection = new Connection(this.network, self)
      process.connection = connection
      const { signal } = new AbortController()
      const around = { bus: busOf(connection, name), db: this.store.open(self), signal, report: this.#report }
      await main(around, self)
    })
  }

  #stored(stream: string, message: Parameters<Checker['stored']>[1]): void {
    try {
      if (stream !== streams.runs) this.#world.record(`stored ${message.seq} in ${stream}`)
      this.checker.stored(stream, message)
    } catch (error) {
      this.#world.fail(error instanceof Violation ? error : new Violation(String(error), { cause: error }))
    }
  }
}
