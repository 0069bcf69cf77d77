/** The dependencies of the HTTP server: connections, settings, and background work. */
import type { Bus } from '@tidemark/bus/connection'
import type { ReceivedHeartbeat } from '@tidemark/bus/heartbeat'
import type { Archives } from '@tidemark/content/archive'
import type { ObjectBodies } from '@tidemark/content/store'
import type { ApiCalled } from '@tidemark/contracts/audit'
import type { OfProject } from '@tidemark/db/of-project'
import type { Directory } from '@tidemark/http-signatures/web-bot-auth'
import type { TakeTokens } from '@tidemark/redis/rates'
import type { Sealer } from '@tidemark/secrets/seal'
import type { PatternThread } from '@tidemark/url/pattern-thread'
import type { FindKeyFor } from './access/adapters/key-cache.ts'
import type { OperatorKey } from './access/operator-key.ts'
import type { BlockedAs } from './actors/check-links/domain/link-items.ts'
import type { ProxyPools } from './crawls/domain/field-rule.ts'
import type { DiffHash } from './diffs/adapters/diff-statement.ts'
import type { EvidenceKeyring } from './evidence/adapters/evidence-keys.ts'
import type { ProxyPrices } from './live-pages/domain/proxy-prices.ts'
import type { Checks } from './operations/adapters/readiness.ts'
import type { ReadModelClock } from './read-model/adapters/projected.ts'

export type ServerDependencies = {
  bus: Bus
  /** Returns the read model of a project. */
  reads: OfProject
  clock: ReadModelClock
  archives: Archives
  objectBodies: ObjectBodies | undefined
  patterns: PatternThread
  secrets: Pick<Sealer, 'seal' | 'open' | 'fingerprint' | 'sign' | 'isSigned'>
  keys: {
    findKey: FindKeyFor
    /** @param at milliseconds since 1970 */
    recordKeyUse: (prefix: string, at: number) => void
    /** Returns the last use that is not stored yet, in milliseconds since 1970; null: none. */
    latestKeyUse: (prefix: string) => number | null
  }
  /** Null: the installation has no operator's key. */
  operator: OperatorKey | null
  noteCall: (call: ApiCalled['data']) => void
  /** Resolves when the log contains the calls of the project that this gateway has answered, or half a second later. */
  untilLogged: (projectId: number) => Promise<void>
  /** Null: requests of projects are not rate-limited. */
  takeTokens: TakeTokens | null
  /** Judges which sites and proxies may be requested. */
  sites: {
    judgeTarget: (url: string, field?: string) => Promise<void>
    judgeProxy: (proxyUrl: string) => Promise<string>
    findBlocked: (url: string) => string | null
  }
  ready: () => Promise<Checks>
  /** Returns the directory of the crawler's keys; null: it signs no requests. */
  readDirectory: (() => Directory) | null
  /** The keys that sign evidence of crawls. */
  evidenceKeys: EvidenceKeyring
  /** Returns the latest heartbeat of each instance by service, the youngest first. */
  instances: () => Map<string, ReceivedHeartbeat[]>
  /** Returns the public address; only known after listening. */
  publicUrl: () => string
  /** Returns whether the server listens on loopback only; false before it listens. */
  isLocal: () => boolean
  options: ServerOptions
  report: (error: unknown, requestId?: string) => void
  now: () => number
}

/** Settings of this installation. */
export type ServerOptions = {
  signatureHeader: string
  /** Address of the user interface for traces, or empty. */
  tracesUrl: string
  idempotencyStrict: boolean
  streamsOfProject: number
  /** The product token by which X-Robots-Tag may address this crawler. */
  robotsToken: string
  pools: ProxyPools
  proxyPrices: ProxyPrices
  diffHash: DiffHash
  /** Whether a Time-Stamp Authority stamps evidence. */
  hasTimeStamps: boolean
  cloudCrawlMs: number
  /** Lifetime of the signed address of an export, in seconds. */
  exportUrlSeconds: number
  /** Names under which MCP clients reach the gateway, beside its public one. */
  mcpHosts: readonly string[]
  /** Limits of probes: the delay between two requests to a host in milliseconds, and the concurrency per host. */
  probes: { delayMs: number; perHost: number; blockedAs: BlockedAs }
}
