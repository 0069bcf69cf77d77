/** The tables beside the graph: its pages with their links, and its orphans. */
import type { LinkGraphAnswer, OrphanList } from '@tidemark/sdk'
import { count } from '../data/words.ts'
import { rankColumn, urlColumn } from '../parts/columns.tsx'
import { Status, Time } from '../parts/marks.tsx'
import type { Column } from '../parts/table.tsx'
import type { Node } from './edges.ts'
import type { Graph } from './graph-work.ts'

/** `pagerank` is null without a score, and for pages that are not among the first 1,000. */
export type Row = Node & { outlinks: number; pagerank: number | null }

export function rowsOf(
  { nodes, outlinks }: Graph,
  scores: LinkGraphAnswer['data']['pagerank'] | null,
): Row[] {
  const byUrl = new Map((scores ?? []).map(({ url, score }) => [url, score]))
  return nodes.map((node, n) => ({
    ...node,
    outlinks: outlinks[n] as number,
    pagerank: byUrl.get(node.url) ?? null,
  }))
}

export const pageColumns = (run: number, origin: string | null, hasRank: boolean): Column<Row>[] => [
  urlColumn('Page', run, origin),
  { key: 'depth', label: 'Depth', isNumber: true, cell: ({ depth }) => depth },
  { key: 'inlinks', label: 'In', isNumber: true, cell: ({ inlinks }) => count(inlinks) },
  { key: 'outlinks', label: 'Out', isNumber: true, cell: ({ outlinks }) => count(outlinks) },
  ...(hasRank ? [rankColumn] : []),
]

type Orphan = OrphanList['items'][number]

export const orphanColumns = (run: number, origin: string | null): Column<Orphan>[] => [
  urlColumn('URL', run, origin),
  { key: 'status', label: 'Status', cell: ({ status }) => <Status code={status} /> },
  { key: 'fetched_at', label: 'Fetched', isMinor: true, cell: ({ fetched_at }) => <Time at={fetched_at} /> },
]
