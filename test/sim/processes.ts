/** The code of the simulated processes: the services with their own wiring, over simulated servers. */

import type { Bus } from '@tidemark/bus/connection'
import { repeat } from '@tidemark/bus/repeat'
import { serve } from '@tidemark/bus/rpc'
import type { Caps } from '@tidemark/contracts/limits'
import type { Tier } from '@tidemark/contracts/primitives'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import type { Database } from '@tidemark/db/database'
import { relay } from '@tidemark/db/outbox'
import { leases } from '../../services/crawl-coordinator/adapters/leases.ts'
import { Shards } from '../../services/crawl-coordinator/handlers/shards.ts'
import { monitorStream } from '../../services/crawl-coordinator/policies/monitor-stream.ts'
import { renewShards } from '../../services/crawl-coordinator/policies/renew-shards.ts'
import type { Settings } from '../../services/crawl-coordinator/settings.ts'
import { type BaseParts, openKeeperParts } from '../../services/crawl-coordinator/wiring/parts.ts'
import { serveRequests } from '../../services/crawl-coordinator/wiring/serve-requests.ts'
import { sweepHolds } from '../../services/usage-ledger/adapters/holds.ts'
import { lockedProjects } from '../../services/usage-ledger/adapters/locked-projects.ts'
import { holdUnits } from '../../services/usage-ledger/handlers/hold-units.ts'
import { startReaders } from '../../services/usage-ledger/wiring/reading.ts'
import { startDeciding } from '../../services/webhook/wiring/deciding.ts'

import type { SimulatedRedis } from './redis/client.scene.ts'
import type { Statement } from './store/pool.scene.ts'
import type { Tables } from './store/tables.ts'

export type Surroundings = {
  bus: Bus
  db: Pick<Database, 'pool' | 'transaction'>
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Terms of all simulated projects. */
export type Terms = { tier: Tier; caps: Caps }

type KeeperParts = ReturnType<typeof openKeeperParts>

/** The seams at which a planted fault changes a service. */
export type Seams = {
  /** Changes the bus of the coordinators. */
  bus?: (bus: Bus) => Bus
  /** Changes the bus of the fetchers. */
  fetcherBus?: (bus: Bus) => Bus
  keeperParts?: (keeperParts: KeeperParts) => KeeperParts
  /** Changes the Redis of the fetchers. */
  redis?: (redis: SimulatedRedis) => SimulatedRedis
  /** Changes the statements of the database. */
  statements?: (statements: readonly Statement[], tables: Tables) => readonly Statement[]
}

const settings = {
  ROBOTS_TOKEN: 'tidemark',
  ORDERS_OUT: 512,
  RUN_TIME_LIMIT: 'P7D',
  PATTERN_TIME_LIMIT: 'PT1M',
  TRAP_RULES_OFF: [],
} as unknown as Settings

export async function coordinator(name: string, { seams = {}, ...around }: Surroundings & { seams?: Seams }) {
  const { signal, report } = around
  const db = around.db as Database
  const bus = seams.bus?.(around.bus) ?? around.bus
  const started = new AsyncDisposableStack()
  const stream = monitorStream({ bus, pool: db.pool, report })
  const base: BaseParts = { bus, db, settings, stream, signal, report }
  const opened = openKeeperParts(base, started)
  const keeperParts = seams.keeperParts?.(opened) ?? opened
  const shards = new Shards({ bus, maxOrdersOut: settings.ORDERS_OUT, ...keeperParts })
  const leased = leases(db.pool, name)
  const running = { ...base, ...keeperParts, shards }
  await renewShards({ ...running, leases: leased })
  serveRequests(running)
}

const sweepMs = 60_000

export async function ledger({ bus, db, signal, report }: Surroundings) {
  const serving = { signal, report }
  startReaders({ bus, db, ...serving })
  void serve(bus, usageRpc.holdUnits, holdUnits(lockedProjects(db), Date.now), serving)
  const sweep = { name: 'the sweep of holds', bus, pauseMs: sweepMs, ...serving }
  void repeat(() => sweepHolds(db.pool as never), sweep)
}

const waits = { WEBHOOK_COMPARE_MS: 60_000, WEBHOOK_JUDGE_MS: 60_000, WEBHOOK_PAGES_MS: 60_000 }

export async function webhook({ bus, db, signal, report }: Surroundings) {
  const outbox = relay({ bus, pool: db.pool, schema: 'webhook', signal, report })
  startDeciding({ bus, db, outbox, settings: waits, signal, report }, { begin: async () => {} })
}

/** Stands in for auth-billing: it knows the terms of projects. */
export async function accounts({ bus, signal, report }: Surroundings, terms: Terms) {
  void serve(bus, accountsRpc.readTerms, async () => ({ terms }), { signal, report })
}
