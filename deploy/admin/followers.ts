/** Waits until the readers that write rows from streams have reached the current ends of these streams. */
import { setTimeout as sleep } from 'node:timers/promises'
import { streams } from '@tidemark/contracts/subjects'
import type { OpenInstance } from './open-instance.ts'
import { positionOf, readPositions } from './reader-positions.ts'
import { rebuildable } from './rebuild/rebuildable.ts'
import { lastSequence } from './rebuild/replay.ts'

type Follower = { schema: string; name: string; stream: string; filter: string }

const billing: readonly Follower[] = [
  { schema: 'ledger', name: 'bill-runs', stream: streams.runs, filter: 'runs.*.*.crawl' },
  { schema: 'ledger', name: 'bill-requests', stream: streams.served, filter: 'served.*' },
]
const limitMs = 30_000
const pollIntervalMs = 100

/**
 * Waits until each follower has read its stream to the end, in the order of the list: a bill is in USAGE before it is in
 * the ledger. Returns a sentence for each follower that does not reach the end within 30 s.
 */
export async function untilCaughtUp(
  instance: OpenInstance,
  followers: readonly Follower[] = [...billing, ...rebuildable],
): Promise<string[]> {
  const late: string[] = []
  for (const follower of followers) {
    const { schema, name, stream, filter } = follower
    const end = await lastSequence(instance.bus, stream, filter)
    const position = await untilAt(instance, follower, end)
    if (position < end) {
      late.push(
        `${schema}.${name} has read ${stream} up to ${position} and does not come to its end at ${end}`,
      )
    }
  }
  return late
}

async function untilAt({ pool }: OpenInstance, { schema, name }: Follower, end: number): Promise<number> {
  for (const limit = performance.now() + limitMs; ; await sleep(pollIntervalMs)) {
    const position = positionOf(await readPositions(pool), schema, name)
    if (position >= end || performance.now() > limit) return position
  }
}
