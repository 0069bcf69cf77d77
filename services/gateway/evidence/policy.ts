/** The record of how an ended crawl treated each host. */
import { CrawlPolicy, CrawlPolicyQuery, type HostPages } from '@tidemark/contracts/http/crawl-policy'
import { RunParams, type RunView } from '@tidemark/contracts/http/crawls'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { capped } from '../http/domain/window.ts'
import { assertExist } from '../read-model/existing-run.ts'
import type { HostPolicies } from './adapters/host-policies.ts'
import type { HostTimes } from './adapters/host-times.ts'
import type { AcquireRead } from './evidence.ts'
import { assertEnded, type ProvePorts } from './prove.ts'

export type PolicyPorts = Pick<ProvePorts, 'leafReads' | 'hasRun'> & {
  policies: HostPolicies
  timesOf: HostTimes
  findRun: (projectId: number, runId: number) => Promise<RunView | null>
  acquire: AcquireRead
}

const noPages: HostPages = {
  count: 0,
  first_at: null,
  last_at: null,
  smallest_gap_ms: null,
  average_gap_ms: null,
  gaps_below_delay: 0,
  seconds: [],
}

export function policyRoute(app: App, ports: PolicyPorts): void {
  const { policies, timesOf, hasRun, findRun, acquire } = ports
  app.get(
    '/v1/crawls/:id/policy',
    {
      schema: {
        operationId: 'getCrawlPolicy',
        summary: 'Read how a crawl treated each host',
        tags: ['Evidence'],
        description:
          'For each host of a crawl that has ended: the robots.txt that it obeyed, the URLs that it did not request, the minimum delay, and the times between its pages.',
        params: RunParams,
        querystring: CrawlPolicyQuery,
        response: { 200: CrawlPolicy },
      },
    },
    async ({ caller: { projectId }, params: { id }, query }, reply) => {
      const of = { projectId, runId: id }
      await assertEnded(ports, of)
      acquire(projectId, reply)
      const [hosts, coverage, run] = await Promise.all([
        policies.hosts(of, capped(query)),
        policies.coverage(of),
        findRun(projectId, id),
      ])
      if (hosts === null || coverage === null || run === null) throw new ApiProblem('not_found')
      const times = await timesOf(of, hosts.items)
      await assertExist(hasRun, of)
      const { skipped, not_reached, frontier_full } = coverage
      const events_path = `/v1/crawls/${id}/events?types=${decisions}`
      return {
        run_id: id,
        respect_robots: hosts.respectRobots,
        user_agent: hosts.userAgent,
        delay_ms: hosts.delayMs,
        ai_bot_policy: run.ai_bot_policy,
        has_llms_txt: run.llms_txt !== null,
        not_requested: { skipped, not_reached, frontier_full, events_path },
        items: hosts.items.map(host => ({ ...host, pages: times.get(host.origin) ?? noPages })),
        next_offset: hosts.next_offset,
      }
    },
  )
}

/** The decisions not to request a URL, and the one to judge no further URL. */
const decisions = 'skipped,filtered,pruned,deferred,frontier_filled'
