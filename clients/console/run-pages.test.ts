/** The list of pages of a crawl, in a component that draws nothing and so needs no browser. */
import { until } from '@tidemark/testing/until'
import { test } from 'tap'

// The files of the console, and Preact, have the types of a browser, which this test does not have.
const { createElement, render } = await import('preact' as string)
const { usePages } = await import(new URL('./web/data/run-pages.ts', import.meta.url).href)

type Run = { page_count: number; finished_at: string | null }

/** Plays a crawl with pages of these ids. Returns the offsets of the requests, and whether they want inlinks. */
function playing(ids: readonly number[]) {
  const offsets: (number | 'with inlinks')[] = []
  globalThis.fetch = async url => {
    const query = new URL(String(url), 'http://here.example').searchParams
    const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))]
    offsets.push(offset, ...(query.get('fields')?.includes('inlinks') ? (['with inlinks'] as const) : []))
    const items = ids.slice(offset, offset + limit).map(id => ({ id }))
    return Response.json({ items, next_offset: offset + limit < ids.length ? offset + limit : null })
  }
  return offsets
}

/** Shows the pages of a crawl. Returns the ids of its rows, and a function that passes the crawl as read again. */
function showing(first: Run) {
  let shown = { rows: [] as { id: number }[], isLoading: true }
  const Screen = ({ run }: { run: Run }) => {
    shown = usePages(7, run)
    return null
  }
  const nowhere = { nodeType: 1, childNodes: [], firstChild: null } as never
  const show = (run: Run) => render(createElement(Screen, { run }), nowhere)
  show(first)
  return { show, ids: () => shown.rows.map(({ id }) => id), isLoading: () => shown.isLoading }
}

test('The pages of a running crawl are read on from the last one', async t => {
  const ids = [1, 2]
  const offsets = playing(ids)
  const { show, ids: shown, isLoading } = showing({ page_count: 2, finished_at: null })
  await until(async () => !isLoading())
  t.strictSame(shown(), [1, 2])
  t.strictSame(offsets, [0], 'no page is missing')
  ids.push(3, 4)
  show({ page_count: 4, finished_at: null })
  await until(async () => shown().length === 4)
  ids.push(5)
  show({ page_count: 5, finished_at: '2026-01-02T03:04:05.000Z' })
  await until(async () => shown().length === 5)
  t.strictSame(shown(), [1, 2, 3, 4, 5])
  t.strictSame(offsets, [0, 2, 0, 'with inlinks'], 'and at the end again, with the inlinks of all links')
})

test('A page that is listed again at a later offset has one row', async t => {
  const ids = [2, 3]
  playing(ids)
  const { show, ids: shown, isLoading } = showing({ page_count: 2, finished_at: null })
  await until(async () => !isLoading())
  ids.splice(0, 0, 1)
  ids.push(4)
  show({ page_count: 4, finished_at: null })
  await until(async () => shown().includes(4))
  t.strictSame(shown(), [2, 3, 4])
})
