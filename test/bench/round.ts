/** What one crawl of one peer is measured on, and how it comes out. */
import type { Used } from './watch.ts'

export type Site = { url: string; pages: number; pid: number; requests(): Promise<number> }

/** Tidemark as it comes, and telling its traces: of no crawl but what has failed, and of every crawl. */
export type Peer = 'floor' | 'tidemark' | 'unsampled' | 'sampled'

/** The first is what the others are compared with. */
export type Peers = readonly [base: Peer, ...others: Peer[]]

export type Round = Used & { peer: Peer; pages: number; requests: number }
