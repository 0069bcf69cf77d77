/** Link checks at a gateway, with a fake extractor that answers each link and page as a test sets it. */
import { serve } from '@tidemark/bus/rpc'
import type { LinkItem } from '@tidemark/contracts/http/actors/check-links'
import type { PageRead, ReadPageAs } from '@tidemark/contracts/rpc/actors'
import * as actorsRpc from '@tidemark/contracts/rpc/actors'
import type { CheckLink, LinkChecked, PageLinks } from '@tidemark/contracts/rpc/check-link'
import * as checkLinkRpc from '@tidemark/contracts/rpc/check-link'
import type { Test } from 'tap'
import { cloudScene } from '../../cloud/cloud.scene.ts'

/** The site of the links in these tests. No server listens there. */
export const site = 'http://links.test/'

export const okLink = ({ url }: { url: string }, more: Partial<LinkChecked> = {}): LinkChecked => ({
  ...{ status: 'ok', reason: null, error: null, statusCode: 200, url, hops: [] },
  ...{ found: [], missing: [], isAsked: true, leaveAloneMs: null },
  ...more,
})

export const blockedLink = (request: { url: string }, more: Partial<LinkChecked> = {}): LinkChecked =>
  okLink(request, {
    ...{ status: 'excluded', reason: 'blocked', error: '403: it refuses us', statusCode: 403 },
    ...more,
  })

export const pageOf = (
  request: { url: string },
  data: PageLinks,
  more: Partial<PageRead> = {},
): PageRead => ({
  ...{ url: `${request.url}final`, status: 200, fetchedAt: '2026-01-02T03:04:05.678Z', challenge: null },
  data,
  warnings: [],
  ...more,
})

export async function linkScene(t: Test, env: Record<string, string> = {}) {
  const { around, stage: cloud, ...client } = await cloudScene(t, env)
  const { bus } = around
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const stage = Object.assign(cloud, {
    checks: [] as CheckLink[],
    pageReads: [] as ReadPageAs[],
    checking: 0,
    maxChecking: 0,
    /** Answers the next links. Tests replace `check`, and `readPage`, which answers the next pages. */
    check: async (request: CheckLink): Promise<LinkChecked> => okLink(request),
    readPage: async (request: ReadPageAs): Promise<PageRead> => pageOf(request, { links: [], more: 0 }),
  })
  const serving = { signal: stop.signal, report: () => {} }
  const check = async (request: CheckLink) => {
    stage.checks.push(request)
    stage.maxChecking = Math.max(stage.maxChecking, ++stage.checking)
    return stage.check(request).finally(() => stage.checking--)
  }
  const read = (request: ReadPageAs) => {
    stage.pageReads.push(request)
    return stage.readPage(request)
  }
  void serve(bus, checkLinkRpc.checkLink, check, serving)
  void serve(bus, actorsRpc.readPageAs, read, serving)
  await bus.nc.flush()
  const plain = {
    check: stage.check,
    readPage: stage.readPage,
    page: stage.page,
    state: stage.state,
    grant: stage.grant,
  }
  /** Resets the stage and its records. */
  const startOver = () =>
    Object.assign(stage, plain, {
      ...{ checks: [], pageReads: [], pages: [], reserved: [], released: [], dropped: [], maxChecking: 0 },
    })
  const checkLinks = async (body: object) => {
    const answered = await client.post('/v1/actors/check-links', body)
    const items: LinkItem[] = answered.json.data?.items ?? []
    return { ...answered, data: answered.json.data, items, error: answered.json.error }
  }
  return { around, stage, startOver, checkLinks, ...client }
}
