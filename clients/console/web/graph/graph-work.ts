/**
 * The graph of the crawl that was opened last. The worker reads and arranges it. The graph is kept while other screens
 * are open.
 */
import { batch, type Signal, signal } from '@preact/signals'
import { TidemarkError } from '@tidemark/sdk'
import { session, sessionEnded } from '../data/session.ts'
import type { Links, Node } from './edges.ts'
import type { LayoutMessage, LayoutRequest } from './layout-worker.ts'

export type Graph = Links & { nodes: readonly Node[]; warnings: readonly string[] }

/** The parts of a crawl that its graph depends on. */
export type Run = { id: number; finished_at: string | null; page_count: number }

export type GraphWork = {
  /** The state of the crawl whose graph this is. */
  state: Signal<string>
  graph: Signal<Graph | null>
  /** x and y of each node; empty until the first picture. */
  xy: Signal<Float32Array>
  /** The state of the work in words; null: it has ended. */
  progress: Signal<string | null>
  error: Signal<unknown>
  /** Reads the graph from its start, also after an error. */
  read: (run: Run) => void
}

export const maxNodes = 5000

/** Returns the address of a worker, which the page names. */
export const programOf = (name: 'layout' | 'paint'): string =>
  document.querySelector<HTMLMetaElement>(`meta[name=graph-${name}]`)?.content ?? ''

let last: { key: string; work: GraphWork; end: () => void } | null = null

/**
 * Returns the graph of a crawl, and reads it again when the crawl has ended. While the crawl runs, its graph changes
 * only with `read`: a picture that moves every few seconds is of no use. An error stays until `read`, too. A call for
 * another crawl stops the work for the previous crawl.
 */
export function graphOf(run: Run): GraphWork {
  const reader = session.value.state === 'in' ? session.value.prefix : ''
  const key = `${reader} ${run.id} ${run.finished_at}`
  if (last?.key === key) return last.work
  last?.end()
  last = { key, ...newWork() }
  last.work.read(run)
  return last.work
}

/** Identifies the pages of a crawl at a time. */
export const stateOf = ({ finished_at, page_count }: Run): string => `${finished_at} ${page_count}`

function newWork(): { work: GraphWork; end: () => void } {
  let worker: Worker | null = null
  const read = (run: Run) => {
    worker?.terminate()
    worker = new Worker(programOf('layout'), { type: 'module' })
    batch(() => {
      work.state.value = stateOf(run)
      work.graph.value = null
      work.xy.value = new Float32Array()
      work.progress.value = 'Reading the pages …'
      work.error.value = null
    })
    worker.onmessage = ({ data }: { data: LayoutMessage }) => take(data, work)
    worker.onerror = ({ message }) => fail(work, `The graph could not be drawn: ${message || 'no script'}.`)
    const skipsAnimation = matchMedia('(prefers-reduced-motion: reduce)').matches
    worker.postMessage({ run: run.id, maxNodes, skipsAnimation } satisfies LayoutRequest)
  }
  const work: GraphWork = {
    state: signal(''),
    graph: signal(null),
    xy: signal(new Float32Array()),
    progress: signal(null),
    error: signal(null),
    read,
  }
  return { work, end: () => worker?.terminate() }
}

function fail(work: GraphWork, message: string): void {
  work.error.value = new TidemarkError(message)
  work.progress.value = null
}

function take(message: LayoutMessage, work: GraphWork): void {
  if (message.type === 'failed') {
    if (message.status === 401) sessionEnded()
    fail(work, message.message)
  } else if (message.type === 'reading') work.progress.value = `Reading the links: ${message.links} …`
  else if (message.type === 'graph') work.graph.value = message
  else {
    if (message.xy.length > 0) work.xy.value = message.xy
    work.progress.value =
      message.share < 1 ? `Arranging the pages: ${Math.floor(message.share * 100)} % …` : null
  }
}
