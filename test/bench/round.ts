/** The input and the figures of one crawl by one peer. */
import type { Used } from './watch.ts'

export type Site = { url: string; pages: number; pid: number; requests(): Promise<number> }

/** Tidemark with its default settings, and with trace export: of failed work only, and of every crawl. */
export type Peer = 'floor' | 'tidemark' | 'unsampled' | 'sampled'

/** The first peer is the base of the comparison. */
export type Peers = readonly [base: Peer, ...others: Peer[]]

export type Round = Used & { peer: Peer; pages: number; requests: number }
