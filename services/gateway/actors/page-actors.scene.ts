/** Actors of one page at a gateway, with a fake extractor that answers as a test sets it. */
import { serve } from '@tidemark/bus/rpc'
import type { AuditFound } from '@tidemark/contracts/http/actors/audit-onpage'
import type { ArticleFound } from '@tidemark/contracts/http/actors/extract-article'
import type { RenderDiffResult } from '@tidemark/contracts/http/actors/render-diff'
import type { StructuredDataFound } from '@tidemark/contracts/http/actors/structured-data'
import type { WorkDropped } from '@tidemark/contracts/notifications'
import type { PageRead, ReadPageAs, RenderDiff } from '@tidemark/contracts/rpc/actors'
import * as actorsRpc from '@tidemark/contracts/rpc/actors'
import { notifications } from '@tidemark/contracts/subjects'
import type { Test } from 'tap'
import { scene } from '../scan/scan.scene.ts'

const article: ArticleFound = {
  ...{
    format: 'markdown',
    content: 'Tides',
    word_count: 1,
    reading_time_seconds: 1,
    wpm: 230,
    comments: null,
  },
  metadata: {
    ...{ title: 'T', byline: null, site_name: null, published: null, modified: null, lang: 'en' },
    ...{
      description: null,
      excerpt: null,
      image: null,
      canonical: null,
      page_kind: 'article',
      confidence: 0.5,
    },
  },
}

const audit: AuditFound = {
  summary: { errors: 1, warnings: 0, info: 0 },
  findings: [{ rule: 'title/missing', severity: 'error', message: 'The page has no title.', samples: [] }],
  stats: {
    ...{ word_count: 1, link_count: 0, image_count: 0, heading_count: 0, html_bytes: 9, text_bytes: 5 },
    ...{ content_ratio: 0.5556, has_json_ld: false },
  },
}

const none = { 'json-ld': [], microdata: [], rdfa: [], opengraph: [], dublincore: [], microformat: [] }
const structured: StructuredDataFound = {
  counts: { 'json-ld': 0, microdata: 0, rdfa: 0, opengraph: 0, dublincore: 0, microformat: 0 },
  data: none,
  errors: [],
}

const side = {
  ...{ word_count: 1, link_count: 0, heading_count: 0, json_ld_count: 0, html_bytes: 9, text_chars: 5 },
  ...{ final_url: 'http://127.0.0.1:8099/', status_code: 200 },
}
const rendered: RenderDiffResult = {
  static: side,
  rendered: side,
  delta: {
    ...{ links_only_after_render: [], headings_only_after_render: [], json_ld_only_after_render: [] },
    counts_only_after_render: { links: 0, headings: 0, json_ld: 0 },
    ...{ text_chars_only_after_render: 0, ai_bot_blind_pct: 0, assessment: 'none' },
  },
  rendered_cost_usd: 0,
}

/** The data that the fake extractor returns for each actor. */
export const dataOf = { article, audit, structured, rendered }

const found = { article, audit, structured, outline: rendered }

export const pageRead = ({ url }: { url: string }, data: object, more: Partial<PageRead> = {}): PageRead => ({
  ...{ url: `${url}final`, status: 200, fetchedAt: '2026-01-02T03:04:05.678Z', challenge: null },
  data,
  warnings: [],
  ...more,
})

export async function pageActorScene(t: Test) {
  const { around, stage: scans, ...client } = await scene(t)
  const { bus } = around
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const stage = Object.assign(scans, {
    pages: [] as ReadPageAs[],
    renders: [] as RenderDiff[],
    dropped: [] as number[],
    /** Answers the next pages. Tests replace it. */
    page: async (request: ReadPageAs | RenderDiff, data: object): Promise<PageRead> =>
      pageRead(request, data),
  })
  const serving = { signal: stop.signal, report: () => {} }
  const readPage = (request: ReadPageAs) => {
    stage.pages.push(request)
    return stage.page(request, found[request.reading.as as keyof typeof found])
  }
  const renderDiff = (request: RenderDiff) => {
    stage.renders.push(request)
    return stage.page(request, rendered)
  }
  void serve(bus, actorsRpc.readPageAs, readPage, serving)
  void serve(bus, actorsRpc.renderDiff, renderDiff, serving)
  bus.nc.subscribe(notifications.workDropped, {
    callback: (_error, message) => void stage.dropped.push(message.json<WorkDropped>().workId),
  })
  await bus.nc.flush()
  return { around, stage, ...client }
}
