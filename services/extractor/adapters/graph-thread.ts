/**
 * Reads link graphs on a separate thread, which is terminated when a graph takes too long or too much memory. The
 * thread runs only on demand, and a client's graphs delay another client's by at most one each time. The thread
 * receives packed links and the next batch while it reads the current one.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Owner } from '@tidemark/bus/fair-line'
import { type Refusal, refuse } from '@tidemark/bus/refusal'
import type { PackedLinks, PackedLinksReader } from '@tidemark/content/packed-links'
import type { RankedLinks } from '@tidemark/contracts/rpc/link-graph'
import type { LinksMapped } from '@tidemark/contracts/rpc/site-audit'
import { isTooSlow } from '@tidemark/db/too-slow'
import { createThread, ThreadTerminated, type Why } from '../concurrency/thread.ts'
import type { GraphRequest } from '../handlers/actors/link-graph.ts'
import type { LinkMapRequest } from '../handlers/actors/map-links.ts'
import { busy } from './document-refusals.ts'

export type GraphThread = AsyncDisposable & {
  /**
   * Throws a `Refusal`: 502 for a graph that takes too long or too much memory, 503 when too many requests wait. Throws
   * the errors of reading, and the reason of the signal when it is aborted.
   */
  rank(request: GraphRequest, links: LinksOfRun, owner: Owner, signal: AbortSignal): Promise<RankedLinks>
  /** Otherwise like `rank`. */
  map(request: LinkMapRequest, links: LinksOfRun, owner: Owner, signal: AbortSignal): Promise<LinksMapped>
}

/** Requests to the thread. */
export type GraphWork = GraphRequest | LinkMapRequest

/** The links of one run. */
export type LinksOfRun = {
  all(): ReturnType<PackedLinksReader['all']>
  at(urlKeys: readonly string[]): Promise<PackedLinks>
}

/** Replies to the thread: links, the end of the links, or an abort. */
export type LinksSent = PackedLinks | null | 'over'

const limits = {
  timeoutMs: 60_000,
  patienceMs: 60_000,
  callerMs: 134_000, // the gateway waits 135 seconds
  maxMegabytes: 192,
  maxMegabytesBeside: 448,
}

export function createGraphThread(): GraphThread {
  const thread = createThread<object, unknown>({
    file: new URL('graph-worker.ts', import.meta.url),
    ...limits,
  })
  return {
    rank: request<RankedLinks>,
    map: request<LinksMapped>,
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }

  async function request<Answer>(
    work: GraphWork,
    links: LinksOfRun,
    owner: Owner,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { port1, port2 } = new MessageChannel()
    const sending = sendLinks(port1, links, signal)
    try {
      const answer = await thread.request({ request: work, port: port2 }, owner, [port2])
      if (answer === null) throw isTooSlow(sending.fault) ? refusals.time() : sending.fault
      return answer as Answer
    } catch (error) {
      throw error instanceof ThreadTerminated ? refusals[error.why]() : error
    } finally {
      sending.end()
    }
  }
}

/** Sends the links that the thread requests. */
function sendLinks(port: MessagePort, links: LinksOfRun, signal: AbortSignal) {
  const batches = links.all()
  let ahead: Promise<IteratorResult<PackedLinks, void>> | null = null
  const sending = {
    /** The error that ended the links; undefined: there was none. */
    fault: undefined as unknown,
    end() {
      port.close()
      ahead?.catch(() => {}) // the request is abandoned
    },
  }
  port.on('message', async (wanted: 'next' | string[]) => {
    try {
      signal.throwIfAborted()
      send(wanted === 'next' ? await next() : await links.at(wanted))
    } catch (error) {
      sending.fault = error
      port.postMessage('over' satisfies LinksSent)
    }
  })
  return sending

  async function next(): Promise<PackedLinks | null> {
    const { value, done } = await (ahead ?? batches.next())
    ahead = done ? null : batches.next()
    ahead?.catch(() => {}) // the error is thrown when the next batch is read
    return done ? null : value
  }

  function send(batch: PackedLinks | null): void {
    port.postMessage(batch satisfies LinksSent, batch ? [batch.blobs.buffer] : [])
  }
}

const refusals: Record<Why, () => Refusal> = {
  time: () => tooMuch('timeout', 'Reading the links of this crawl exceeded the time limit.'),
  memory: () => tooMuch('too_large', 'The links of this crawl exceed the memory limit.'),
  patience: busy,
  closed: busy,
}

const tooMuch = (reason: 'timeout' | 'too_large', message: string): Refusal =>
  refuse('fetch_failed', { reason, message })
