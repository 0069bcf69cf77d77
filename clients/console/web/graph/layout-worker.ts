/** A worker that reads the pages and links of a crawl and arranges them, so that the screen never waits. */
import { ApiError, Tidemark } from '@tidemark/sdk'
import { collectLinks, type Links, type Node } from './edges.ts'
import { startLayout } from './layout.ts'

/** `skipsAnimation`: only the last positions are sent. */
export type LayoutRequest = { run: number; maxNodes: number; skipsAnimation: boolean }

export type LayoutMessage =
  | { type: 'reading'; pages: number; links: number }
  | ({ type: 'graph'; nodes: Node[]; warnings: readonly string[] } & Links)
  | { type: 'positions'; xy: Float32Array; share: number }
  | { type: 'failed'; message: string; status: number | null }

const fields = 'title,depth,inlinks'
const partLength = 20_000
/** Minimum milliseconds between two frames of the animation. */
const frameMs = 60
/** A constant, so that the same crawl always has the same layout. */
const seed = 1

const port = self as unknown as {
  postMessage: (message: LayoutMessage, moved?: Transferable[]) => void
  onmessage: (event: { data: LayoutRequest }) => void
}

port.onmessage = ({ data }) => {
  draw(data).catch(error => {
    const status = error instanceof ApiError ? error.status : null
    port.postMessage({ type: 'failed', message: (error as Error).message, status })
  })
}

async function draw({ run, maxNodes, skipsAnimation }: LayoutRequest): Promise<void> {
  const tidemark = new Tidemark({ baseUrl: '/console/api', maxRetries: 1, maxRetryAfter: 5 })
  const { items } = await tidemark.crawls.pages(run, { limit: maxNodes, fields })
  const nodes = items.map(({ id, url, title, status, depth, inlinks }) => ({
    ...{ id, url, status },
    title: title ?? null,
    depth: depth ?? 0,
    inlinks: inlinks ?? 0,
  }))
  const links = collectLinks(nodes)
  const warnings: string[] = []
  let offset: number | null = 0
  while (offset !== null) {
    const part: Part = await tidemark.crawls.links(run, { limit: partLength, offset })
    for (const { from_page_id, to_url } of part.items) links.add(from_page_id, to_url)
    warnings.push(...(part.warnings ?? []))
    port.postMessage({ type: 'reading', pages: nodes.length, links: offset + part.items.length })
    offset = part.next_offset
  }
  const chosen = links.chosen()
  port.postMessage({ type: 'graph', nodes, warnings, ...chosen })
  arrange({ nodes: nodes.length, edges: chosen.edges }, skipsAnimation)
}

type Part = {
  items: { from_page_id: number; to_url: string }[]
  next_offset: number | null
  warnings?: string[]
}

function arrange(graph: { nodes: number; edges: Uint32Array }, skipsAnimation: boolean): void {
  const { xy, step } = startLayout(graph, seed)
  let shownAt = 0
  for (;;) {
    const share = step()
    const now = performance.now()
    if (share < 1 && now - shownAt < frameMs) continue
    shownAt = now
    const copy = share === 1 || !skipsAnimation ? xy.slice() : new Float32Array()
    port.postMessage({ type: 'positions', xy: copy, share }, [copy.buffer])
    if (share === 1) return
  }
}
