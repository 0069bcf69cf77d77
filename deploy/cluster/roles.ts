/**
 * The roles of a cluster, as data: each role of the image with its connections, its resources and its scaling metric.
 * Kubernetes' manifests and compose.yaml are generated from this table, so they describe the same system.
 */

import type { ServiceName } from '@tidemark/contracts/services'
import { consumers, streams } from '@tidemark/contracts/subjects'

/** External servers. */
export type Server = 'postgres' | 'nats' | 'redis'

/** The number of processes, and how it is chosen. */
export type Scale =
  /** A fixed number. One process works, and the others are on standby (locks, checkpoints). */
  | { by: 'standby'; replicas: number }
  /** Scales by processor load in percent, and by memory (average MiB per process) if work is kept in memory. */
  | { by: 'processor'; min: number; max: number; percent: number; memory?: number }
  /** Scales by the waiting and unfinished messages of a work queue per process. */
  | { by: 'queue'; min: number; max: number; stream: string; consumer: string; waiting: number }

export type Role = {
  /** Name of the Deployment and of the compose service. */
  name: string
  /** The argument of the image. */
  runs: ServiceName | 'egress'
  servers: readonly Server[]
  /**
   * Addresses outside the cluster that it can reach: none; public ones; or public ones through the egress proxy only.
   */
  reaches: 'nothing' | 'public' | 'egress'
  /** Whether it opens or seals secrets. */
  seals: boolean
  /** Reads or stores bodies of pages, which may be in an S3 store. */
  hasBodies?: true
  env: Readonly<Record<string, string>>
  scale: Scale
  /** CPU request, in thousandths of a core. */
  cpu: number
  /** Memory request and limit, in MiB. */
  memory: readonly [requested: number, limit: number]
  /** Ports beside the inner one. */
  ports?: Readonly<Record<string, number>>
  /** Whether a restarted process has its previous name, and so continues to hold its leases. */
  keepsName?: true
  /**
   * Runs scripts of untrusted pages in Chromium, whose own sandbox needs system calls that the default profile forbids.
   */
  hasBrowser?: true
}

/** Port of each process for metrics and probes. */
export const innerPort = 9464
export const apiPort = 8080
export const egressPort = 3128
/** Time in ms for which a stopping gateway still serves, until all load balancers know. */
const drainMs = 8_000
/**
 * Time in ms for which a stopping proxy keeps its connections. A page takes at most a minute (RENDER_TIMEOUT_MS), and
 * fails when its connections are cut.
 */
const egressDrainMs = 65_000

const all: readonly Server[] = ['postgres', 'nats', 'redis']
const standby: Scale = { by: 'standby', replicas: 2 }

export const roles: readonly Role[] = [
  {
    name: 'gateway',
    runs: 'gateway',
    servers: all,
    reaches: 'nothing',
    seals: true,
    hasBodies: true,
    env: { HOST: '0.0.0.0', PORT: String(apiPort), DRAIN_MS: String(drainMs) },
    scale: { by: 'processor', min: 2, max: 20, percent: 60 },
    cpu: 500,
    memory: [256, 640],
    ports: { http: apiPort },
  },
  {
    name: 'projector',
    runs: 'projector',
    servers: ['postgres', 'nats'],
    reaches: 'nothing',
    seals: false,
    env: {},
    scale: standby,
    cpu: 500,
    memory: [192, 512],
  },
  {
    name: 'auth-billing',
    runs: 'auth-billing',
    servers: ['postgres', 'nats'],
    reaches: 'public',
    seals: true,
    env: {},
    scale: standby,
    cpu: 100,
    memory: [160, 384],
  },
  {
    name: 'crawl-coordinator',
    runs: 'crawl-coordinator',
    servers: ['postgres', 'nats'],
    reaches: 'nothing',
    seals: false,
    env: {},
    scale: { by: 'processor', min: 2, max: 16, percent: 60, memory: 3_072 },
    cpu: 500,
    // A coordinator keeps all runs that it leases in memory. Twenty of the largest fit into a heap of 4 GB, the size
    // that the launcher uses too.
    memory: [1024, 6827],
    keepsName: true,
  },
  {
    name: 'fetcher-http',
    runs: 'fetcher',
    servers: ['nats', 'redis'],
    reaches: 'public',
    seals: true,
    env: { FETCH_LANES: 'http', BROWSER: 'off' },
    scale: {
      by: 'queue',
      min: 2,
      max: 50,
      stream: streams.fetch,
      consumer: consumers.fetcher('http'),
      // A message has up to eight orders. 24 messages are three times the 64 orders that a process fetches at once
      // (FETCH_IN_FLIGHT). A coordinator has at most 64 messages out (ORDERS_OUT), so a higher number would never add a third.
      waiting: 24,
    },
    cpu: 500,
    memory: [384, 1536],
  },
  {
    name: 'fetcher-browser',
    runs: 'fetcher',
    servers: ['nats', 'redis'],
    reaches: 'egress',
    seals: true,
    env: { FETCH_LANES: 'browser' },
    scale: {
      by: 'queue',
      min: 1,
      max: 50,
      stream: streams.fetch,
      consumer: consumers.fetcher('browser'),
      waiting: 4,
    },
    cpu: 1000,
    memory: [1024, 3072],
    hasBrowser: true,
  },
  {
    name: 'egress',
    runs: 'egress',
    servers: [],
    reaches: 'public',
    seals: false,
    env: { DRAIN_MS: String(egressDrainMs) },
    scale: { by: 'processor', min: 2, max: 10, percent: 60 },
    cpu: 100,
    memory: [96, 256],
    ports: { proxy: egressPort },
  },
  {
    name: 'extractor',
    runs: 'extractor',
    servers: all,
    // Buckets of customers, for exports.
    reaches: 'public',
    seals: true,
    hasBodies: true,
    env: {},
    scale: {
      by: 'queue',
      min: 2,
      max: 50,
      stream: streams.pages,
      consumer: consumers.extractor,
      waiting: 100,
    },
    cpu: 1000,
    memory: [384, 2048],
  },
  {
    name: 'scheduler',
    runs: 'scheduler',
    servers: ['postgres', 'nats'],
    reaches: 'nothing',
    seals: false,
    env: {},
    scale: standby,
    cpu: 100,
    memory: [160, 384],
  },
  {
    name: 'webhook',
    runs: 'webhook',
    servers: ['postgres', 'nats'],
    reaches: 'public',
    seals: true,
    env: {},
    scale: {
      by: 'queue',
      min: 2,
      max: 10,
      stream: streams.deliveries,
      consumer: consumers.webhook,
      waiting: 500,
    },
    cpu: 100,
    memory: [160, 384],
  },
  {
    name: 'usage-ledger',
    runs: 'usage-ledger',
    servers: ['postgres', 'nats'],
    reaches: 'nothing',
    seals: false,
    env: {},
    scale: standby,
    cpu: 250,
    memory: [160, 384],
  },
]
