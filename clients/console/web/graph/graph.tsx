/** The link graph of a crawl: a picture, the same as a table, and the orphans. A bundle of its own. */
import { useSignal } from '@preact/signals'
import type { LinkGraphAnswer, Run } from '@tidemark/sdk'
import { useMemo } from 'preact/hooks'
import { type ActorWork, actorWork } from '../data/actor-work.ts'
import { addressOf, addressQuery, changeQuery } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { useReading } from '../data/reading.ts'
import { sharedCrawl } from '../data/session.ts'
import { count, counted, originOf } from '../data/words.ts'
import { Choice, SearchField } from '../parts/controls.tsx'
import { Snippet } from '../parts/copy-as.tsx'
import { Field, Panel, submitting } from '../parts/layout.tsx'
import { Empty, Fault, Waiting, Warnings } from '../parts/messages.tsx'
import { Table } from '../parts/table.tsx'
import type { Node } from './edges.ts'
import { orphanColumns, pageColumns, type Row, rowsOf } from './graph-tables.tsx'
import { type Graph, type GraphWork, graphOf, maxNodes, stateOf } from './graph-work.ts'
import { Picture } from './picture.tsx'
import { type Coloring, tonesOf } from './tones.ts'

export function LinkGraph({ run }: { run: Run }) {
  const { id } = run
  const work = graphOf(run)
  const graph = work.graph.value
  return (
    <>
      <Fault error={work.error.value} />
      {(work.error.value !== null || (graph && work.state.value !== stateOf(run))) && (
        <div class="notice">
          {work.error.value === null && <p>The crawl has changed since this graph was read.</p>}
          <button type="button" onClick={() => work.read(run)}>
            Read the graph again
          </button>
        </div>
      )}
      {graph === null && work.error.value === null && <Progress work={work} />}
      {graph && <Warnings texts={graph.warnings} />}
      {graph && graph.nodes.length === 0 && (
        <Empty title="The crawl has no pages, so there are no links. Its links are also a list:">
          <Snippet call={{ id: 'listLinks', path: { id }, query: { limit: 1000 } }} />
        </Empty>
      )}
      {graph && graph.nodes.length > 0 && <Drawn run={run} graph={graph} work={work} />}
      {run.page_count > 0 && <Orphans id={id} state={work.state.value} origin={originOf(run.url)} />}
    </>
  )
}

const Progress = ({ work }: { work: GraphWork }) => (
  <p class="quiet" role="status">
    {work.progress.value}
  </p>
)

type DrawnProps = { run: Run; graph: Graph; work: GraphWork }

function Drawn({ run, graph, work }: DrawnProps) {
  const { nodes } = graph
  const coloring: Coloring = addressQuery.value.get('color') === 'section' ? 'section' : 'depth'
  const words = addressQuery.value.get('q') ?? ''
  const centered = useSignal<{ node: number } | null>(null)
  const rank = actorWork(tidemark.actors.internalLinkGraph, { crawl_id: run.id, top_n: 1000 })
  const scores = rank.answer.value?.data.pagerank ?? null
  const tones = useMemo(() => tonesOf(nodes, coloring), [nodes, coloring])
  const rows = useMemo(() => rowsOf(graph, scores), [graph, scores])
  const found = useMemo(() => foundIn(nodes, words), [nodes, words])
  const weights = useMemo(
    () => Float32Array.from(rows, ({ pagerank, inlinks }) => (scores === null ? inlinks : (pagerank ?? 0))),
    [rows, scores],
  )
  const center = () => {
    const [node] = found ?? []
    if (node !== undefined) centered.value = { node }
  }
  const shown = useMemo(
    () => sortedRows(rows.filter((_, n) => found === null || found.has(n))),
    [rows, found],
  )
  return (
    <>
      <Search {...{ words, coloring }} onSend={center} canSend={found !== null && found.size > 0} />
      <div class="columns graph-columns">
        <Panel title={titleOf(run, graph)} aside={<Progress work={work} />} isFlush>
          <Picture
            {...{ nodes, tones, weights, found }}
            xy={work.xy}
            links={graph}
            centered={centered.value}
            addressOfNode={({ id }) => addressOf(`/crawls/${run.id}/pages/${id}`)}
          />
          <Rank work={rank} state={work.state.value} />
        </Panel>
        <Panel title={counted(shown.length, 'page')} isFlush>
          {shown.length === 0 ? (
            <Empty title="No page matches the words." />
          ) : (
            <Table
              caption="Pages by links"
              columns={pageColumns(run.id, originOf(run.url), scores !== null)}
              rows={shown}
              rowKey={({ id }) => id}
            />
          )}
        </Panel>
      </div>
    </>
  )
}

type SearchProps = { words: string; coloring: Coloring; canSend: boolean; onSend: () => void }

function Search({ words, coloring, canSend, onSend }: SearchProps) {
  return (
    <form class="search" onSubmit={submitting(onSend)}>
      <SearchField label="Find a page" isWide placeholder="words of URL or title" words={words} />
      <button type="submit" disabled={!canSend}>
        Center
      </button>
      <Field label="Color">
        {field => (
          <Choice
            {...{ id: field, value: coloring, choices: colorings }}
            onChoose={value => changeQuery({ color: value === 'depth' ? null : value })}
          />
        )}
      </Field>
    </form>
  )
}

const colorings = [
  ['depth', 'by depth'],
  ['section', 'by section'],
] as const

function titleOf({ page_count }: Run, { nodes, edges, total }: Graph): string {
  const pages =
    nodes.length === maxNodes && page_count > maxNodes
      ? `The first ${count(maxNodes)} of ${counted(page_count, 'page')}`
      : counted(nodes.length, 'page')
  const drawn = edges.length / 2
  return drawn === total
    ? `${pages}, ${counted(total, 'link')}`
    : `${pages}, ${count(drawn)} of ${counted(total, 'link')}`
}

/** The nodes of a search; null: no search. */
function foundIn(nodes: readonly Node[], words: string): ReadonlySet<number> | null {
  const wanted = words.trim().toLowerCase()
  if (wanted === '') return null
  const isFound = ({ url, title }: Node) => `${url} ${title ?? ''}`.toLowerCase().includes(wanted)
  return new Set(nodes.flatMap((node, n) => (isFound(node) ? [n] : [])))
}

const sortedRows = (rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => (b.pagerank ?? 0) - (a.pagerank ?? 0) || b.inlinks - a.inlinks)

/** `state`: the state of the crawl whose graph is shown. */
function Rank({ work, state }: { work: ActorWork<LinkGraphAnswer>; state: string }) {
  const isRunning = work.progress.value !== null
  const isOld = work.answer.value !== null && work.basis.value !== state
  return (
    <div class="graph-rank">
      <Fault error={work.error.value} />
      <p class="quiet">
        {work.answer.value
          ? `The area of a node is its PageRank${isOld ? ' in an earlier graph of the crawl' : ''}. Pages beyond the first 1,000 have the smallest size.`
          : 'The area of a node is its number of links from other pages.'}
      </p>
      {(work.answer.value === null || isOld) && sharedCrawl() === null && (
        <button type="button" disabled={isRunning} onClick={() => void work.run(state)}>
          {isRunning ? 'Computing …' : 'Use PageRank for 1 page'}
        </button>
      )}
    </div>
  )
}

type OrphansProps = { id: number; state: string; origin: string | null }

function Orphans({ id, state, origin }: OrphansProps) {
  const orphans = useReading(signal => tidemark.crawls.orphans(id, { signal }), [id, state])
  const items = orphans.data?.items
  return (
    <Panel title={items ? counted(items.length, 'orphan') : 'Orphans'} isFlush>
      <Waiting reading={orphans} what="the orphans" />
      {items?.length === 0 && <Empty title="Every page but the first has a link from another page." />}
      {items && items.length > 0 && (
        <Table
          caption="Pages without a link from another page"
          columns={orphanColumns(id, origin)}
          rows={items}
          rowKey={page => page.id}
        />
      )}
    </Panel>
  )
}
