/** The route that reads a stored crawl again with today's extractor. Nothing is fetched, stored or billed. */
import { RunParams } from '@tidemark/contracts/http/crawls'
import { Replay, ReplayQuery } from '@tidemark/contracts/http/replay'
import type { FastifyReply } from 'fastify'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { Slots } from '../http/domain/slots.ts'
import { oneMore } from '../http/domain/window.ts'
import { acquireSlot } from '../http/responses/acquire-slot.ts'
import { disconnectSignal } from '../http/responses/disconnect-signal.ts'
import type { Contents } from '../live-pages/adapters/contents.ts'
import { newWork } from '../live-pages/read-one.ts'
import { assertExist, type HasRun } from '../read-model/existing-run.ts'
import type { ReplayReads } from './adapters/replay-reads.ts'
import type { Replays } from './adapters/replays.ts'
import { replayPart } from './replay-part.ts'

export type ReplayPorts = {
  replayReads: ReplayReads
  replays: Replays
  contents: Pick<Contents, 'drop'>
  hasRun: HasRun
}

/** Maximum number of concurrent replays of a project at this gateway. Each occupies a thread of an extractor. */
const replaysOfProject = 2

const noSlot = {
  reason: 'concurrent_requests',
  message: `This gateway already replays ${replaysOfProject} crawls of the project. Try again when one has ended.`,
} as const

const notStored = 'The crawl cannot be replayed, because it was started with store_html: false.'
const isRunning = 'the crawl is running: pages that it stores later are not included'

export function replayRoute(app: App, ports: ReplayPorts): void {
  const { replayReads, replays, hasRun } = ports
  const slots = new Slots(replaysOfProject)
  app.get(
    '/v1/crawls/:id/replay',
    {
      schema: {
        operationId: 'replayCrawl',
        summary: 'Read a stored crawl again',
        tags: ['Pages'],
        description:
          'Reads the stored bodies of a part of the pages again, like fetched ones, and returns the pages whose title, hashes, charset, metadata or links differ from what the crawl stored. It shows what a new version of the extractor changes. Nothing is fetched, stored or billed.',
        params: RunParams,
        querystring: ReplayQuery,
        response: { 200: Replay },
      },
    },
    async ({ caller: { projectId }, params: { id }, query, warnings }, reply) => {
      const run = { projectId, runId: id }
      await assertExist(hasRun, run)
      if (!(await replayReads.keepsBodies(run)))
        throw new ApiProblem('conflict', { message: notStored, reason: 'html_not_stored' })
      const { total = 0, hasEnded = false, comparison = null } = (await replayReads.run(run)) ?? {}
      if (!hasEnded) warnings.push(isRunning)
      acquireSlot(slots, projectId, reply, noSlot)
      const window = oneMore(query)
      const found = await replayReads.pages(run, window)
      const pages = found.slice(0, query.limit)
      const work = { ...workOf(ports, reply), ...run, ...(comparison && { comparison }) }
      const { done, warnings: unread, ...part } = await replayPart(replays, { ...work, pages })
      await assertExist(hasRun, run)
      warnings.push(...unread)
      return { run_id: id, ...part, total, next_offset: done < found.length ? window.offset + done : null }
    },
  )
}

/** Returns the id of the work, which the extractor stops when the client leaves. */
function workOf({ contents }: ReplayPorts, reply: FastifyReply): { workId: number; signal: AbortSignal } {
  const { workId } = newWork(1)
  const signal = disconnectSignal(reply)
  signal.addEventListener('abort', () => contents.drop(workId), { once: true })
  return { workId, signal }
}
