/**
 * Reads link graphs on a thread of their own, which is ended when one takes too long or too much memory. It is there
 * only while it is wanted, and nobody's graphs delay another's by more than one each time. Links are handed to it as
 * they are packed, the next batch while it reads the last.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { type Refusal, refuse } from '@tidemark/bus/ask'
import type { PackedLinks, PackedLinksReader } from '@tidemark/content/packed-links'
import type { RankedLinks } from '@tidemark/contracts/ask/link-graph'
import type { GraphQuestion } from '../handlers/actors/link-graph.ts'
import type { Who } from '../turns/fair-line.ts'
import { createThread, ThreadGaveUp, type Why } from '../turns/thread.ts'
import { busy } from './document-refusals.ts'

export type GraphThread = AsyncDisposable & {
  /**
   * Throws a `Refusal`: 502 for a graph that takes too long or too much memory, 503 when too much waits. Throws what
   * reading throws, and the reason of the signal when that is aborted.
   */
  rank(question: GraphQuestion, links: LinksOfRun, who: Who, signal: AbortSignal): Promise<RankedLinks>
}

/** The links of one run. */
export type LinksOfRun = {
  all(): ReturnType<PackedLinksReader['all']>
  at(urlKeys: readonly string[]): Promise<PackedLinks>
}

/** What answers each question of the thread: links, that there are no more, or that none come any more. */
export type LinksSent = PackedLinks | null | 'over'

const limits = {
  timeoutMs: 60_000,
  patienceMs: 60_000,
  mostMegabytes: 192,
  mostMegabytesBeside: 448,
}

export function createGraphThread(): GraphThread {
  const thread = createThread<object, RankedLinks | null>({
    file: new URL('graph-worker.ts', import.meta.url),
    ...limits,
  })
  return {
    async rank(question, links, who, signal) {
      const { port1, port2 } = new MessageChannel()
      const sending = sendLinks(port1, links, signal)
      try {
        const answer = await thread.ask({ question, port: port2 }, who, [port2])
        if (answer === null) throw sending.fault
        return answer
      } catch (error) {
        throw error instanceof ThreadGaveUp ? refusals[error.why]() : error
      } finally {
        sending.end()
      }
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

/** Answers the thread until it has ended. */
function sendLinks(port: MessagePort, links: LinksOfRun, signal: AbortSignal) {
  const batches = links.all()
  let ahead: Promise<IteratorResult<PackedLinks, void>> | null = null
  const sending = {
    /** Why it was over. */
    fault: undefined as unknown,
    end() {
      port.close()
      ahead?.catch(() => {}) // nobody wants it any more
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
    ahead?.catch(() => {}) // it is heard when it is wanted
    return done ? null : value
  }

  function send(batch: PackedLinks | null): void {
    port.postMessage(batch satisfies LinksSent, batch ? [batch.blobs.buffer] : [])
  }
}

const refusals: Record<Why, () => Refusal> = {
  time: () => tooMuch('timeout', 'Reading the links of this crawl took too long.'),
  memory: () => tooMuch('too_large', 'The links of this crawl are more than fit into memory.'),
  patience: () => busy(),
  closed: () => busy(),
}

const tooMuch = (reason: 'timeout' | 'too_large', message: string): Refusal =>
  refuse('fetch_failed', { reason, message })
