/** How the pages of a run hang together: the links between them, and the pages that none leads to. */
import { RunParams } from '@tidemark/contracts/http/crawls'
import { LinkList, LinkListQuery, OrphanList } from '@tidemark/contracts/http/links'
import { normalForm } from '@tidemark/url/normal-form'
import type { App } from '../app.ts'
import { arrayText, pieceLength, sendLongList, warningsText } from '../http/answers/long-list.ts'
import { sendText } from '../http/answers/text-stream.ts'
import { unusable } from '../http/domain/address.ts'
import { mediaTypes } from '../http/domain/list-format.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { refusal } from '../http/domain/refusal.ts'
import { oneMore, partOf } from '../http/domain/window.ts'
import type { LinkReads } from './adapters/link-reads.ts'
import type { OrphanReads } from './adapters/orphan-reads.ts'

export type LinkPorts = {
  links: LinkReads
  orphans: OrphanReads
  hasRun: (projectId: number, runId: number) => Promise<boolean>
}

const tags = ['Links']

export function linkRoutes(app: App, { links, orphans, hasRun }: LinkPorts): void {
  /** Whether there is anything to read the run's links from. */
  async function hasLinks(projectId: number, runId: number): Promise<boolean> {
    if (!(await hasRun(projectId, runId))) throw new ApiProblem('not_found')
    return links.keepsBodies({ projectId, runId })
  }

  app.get(
    '/v1/crawls/:id/links',
    {
      schema: {
        operationId: 'listLinks',
        summary: 'List the links between the pages of a crawl',
        tags,
        description: 'Read from the stored pages. A crawl with `store_html: false` has none.',
        params: RunParams,
        querystring: LinkListQuery,
        response: { 200: LinkList },
      },
    },
    async ({ caller: { projectId }, params: { id }, query }, reply) => {
      const choice = { fromPageId: query.from_page_id, toUrl: normalOf(query.to_url) }
      if (!(await hasLinks(projectId, id))) return { items: [], next_offset: null, warnings: [notKept] }
      const pieces = links.pieces({ projectId, runId: id }, oneMore(query), choice)
      if (query.limit > pieceLength) return sendLongList(reply, query, pieces)
      return partOf(query, (await Array.fromAsync(pieces)).flat())
    },
  )

  app.get(
    '/v1/crawls/:id/orphans',
    {
      schema: {
        operationId: 'listOrphans',
        summary: 'List the orphan pages of a crawl',
        tags,
        description:
          'Lists pages that no other page of the crawl links to. The seed is never listed. Read from the stored pages: a crawl with `store_html: false` has none.',
        params: RunParams,
        response: { 200: OrphanList },
      },
    },
    async ({ caller: { projectId }, params: { id } }, reply) => {
      if (!(await hasLinks(projectId, id))) return { items: [], warnings: [notKept] }
      const run = { projectId, runId: id }
      const pieces = orphans.pieces(run, await orphans.ids(run))
      return sendText(reply, mediaTypes.json, itemsText(pieces, warningsText(reply)))
    },
  )
}

function normalOf(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  const fault = unusable(url)
  if (fault !== null) throw refusal('to_url', 'bad_url', `to_url is not the URL of a page: ${fault}.`)
  return normalForm(url) ?? undefined
}

async function* itemsText(pieces: AsyncIterable<object[]>, warnings: string): AsyncGenerator<string> {
  yield '{"items":'
  yield* arrayText(pieces)
  yield `${warnings}}`
}

const notKept = 'the links of this crawl cannot be read, because it was started with store_html: false'
