/** Compares the packed values of a page: the work of a thread, because links and metadata may be very long. */
import { decodeEdges } from '@tidemark/content/edges'
import type { ReplayChange, ReplayLinks } from '@tidemark/contracts/http/replay'
import { bufferOf } from '../../domain/buffer-of.ts'
import { changesOf, type ReplayFacts } from '../../domain/replay/changes.ts'
import { linkChangesOf } from '../../domain/replay/link-changes.ts'

/** `metadata` is JSON text. */
export type PackedFacts = Omit<ReplayFacts, 'metadata'> & { metadata: string; edges: Uint8Array }

export type Compared = { changes: ReplayChange[]; links: ReplayLinks | null }

/** Throws if the stored values are not readable, for example because a later version has stored them. */
export function comparePacked(stored: PackedFacts, now: PackedFacts): Compared {
  return {
    changes: changesOf(unpacked(stored), unpacked(now)),
    links: linkChangesOf(edgesOf(stored), edgesOf(now)),
  }
}

const unpacked = ({ metadata, ...facts }: PackedFacts): ReplayFacts => ({
  ...facts,
  metadata: JSON.parse(metadata),
})

const edgesOf = ({ edges }: PackedFacts) => decodeEdges(bufferOf(edges))

/** Whether the packed values are equal. Unequal ones may have equal contents. */
export const isSame = (stored: PackedFacts, now: PackedFacts): boolean =>
  stored.title === now.title &&
  stored.contentHash === now.contentHash &&
  stored.comparisonHash === now.comparisonHash &&
  stored.charset === now.charset &&
  stored.metadata === now.metadata &&
  Buffer.compare(stored.edges, now.edges) === 0
