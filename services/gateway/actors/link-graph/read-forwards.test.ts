/** The pages to which the start of a run forwards, by the facts that the extractor reads from the start. */
import type { AuditPages } from '@tidemark/contracts/rpc/site-audit'
import { numberOfKey, urlKey } from '@tidemark/url/key'
import { test } from 'tap'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'
import type { ActorPorts } from '../ports.ts'
import { positionsOf } from './domain/graph-positions.ts'
import { readForwards } from './read-forwards.ts'

const keyOf = (path: string): string => urlKey(`https://site.test${path}`)

/** @param refreshes the path to which each of these pages forwards */
async function forwardsOf(paths: string[], refreshes: Record<string, string>, redirects = {}) {
  const keys = paths.map(keyOf)
  const targets = new Map(
    Object.entries(refreshes).map(([from, to]) => [keyOf(from), numberOfKey(keyOf(to))]),
  )
  const ports = {
    siteReads: {
      named: async (_: OfRun, named: string[]) => new Map(named.map(key => [key, { id: 1, key, url: key }])),
    },
    actors: {
      auditPages: async ({ pages }: AuditPages) => {
        const refresh = targets.get(pages[0]?.key ?? '')
        return { pages: [{ findings: [], facts: { ...(refresh !== undefined && { refresh }) } }] }
      },
    },
  } as unknown as ActorPorts
  const moved = Object.entries<string>(redirects).map(([from, to]): [string, string] => [
    keyOf(from),
    keyOf(to),
  ])
  const pages = { keys, redirects: new Map(moved), starts: [], hasEnded: true, isCut: false }
  const forwarding = { run: { projectId: 7, runId: 1 }, pages, positions: positionsOf(keys), start: 0 }
  return readForwards(ports, forwarding, { workId: -1, signal: new AbortController().signal })
}

test('The start of a run', async t => {
  const paths = ['/', '/en', '/en/home', '/other']
  t.strictSame(await forwardsOf(paths, {}), [], 'may forward to no page')
  t.strictSame(await forwardsOf(paths, { '/': '/en', '/en': '/en/home' }), [1, 2], 'forwards by pages')
  t.strictSame(await forwardsOf(paths, { '/': '/old' }, { '/old': '/other' }), [3], 'and by redirects')
  t.strictSame(await forwardsOf(paths, { '/': '/en', '/en': '/' }), [1], 'may forward in a circle')
  t.strictSame(await forwardsOf(paths, { '/': '/gone' }), [], 'may forward to no page of the crawl')
})
