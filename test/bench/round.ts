/** What one crawl of one peer is measured on, and how it comes out. */
import type { Used } from './watch.ts'

export type Site = { url: string; pages: number; pid: number; requests(): Promise<number> }

export type Peer = 'floor' | 'tidemark'

export type Round = Used & { peer: Peer; pages: number; requests: number }
