/** The input and the figures of one piece of work by one peer. */
import type { Used } from './watch.ts'

export type Site = {
  /** Every host has all pages. */
  origins: string[]
  pages: number
  /** HTML bytes of all pages. */
  bytes: number
  pid: number
  /** File of the authority of its certificate; null: plain HTTP. */
  authority: string | null
  requests(): Promise<number>
}

/**
 * `tidemark` runs with its default settings, `unsampled` exports traces of failed work only, and `sampled` exports a
 * trace of every crawl.
 */
export type Peer = 'floor' | 'tidemark' | 'unsampled' | 'sampled'

/** The first peer is the base of the comparison. */
export type Peers = readonly [base: Peer, ...others: Peer[]]

/** Pages of a crawl or of a list of URLs; for `webhooks`, deliveries. */
export type Round = Used & {
  peer: Peer
  pages: number
  requests: number
  /** HTML bytes of the pages; 0 if the work has none. */
  bytes: number
  /** Milliseconds from each request to its response, if the work is one request after the other. */
  waits?: number[]
}
