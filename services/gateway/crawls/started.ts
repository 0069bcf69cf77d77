/** The `Idempotency-Key` header, the mark of its replays, and the response body of an accepted crawl. */

import type { CrawlAccepted } from '@tidemark/contracts/http/crawls'
import { mustBe } from '@tidemark/contracts/primitives'
import type { RunStartedResponse } from '@tidemark/contracts/rpc/runs'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { ApiProblem } from '../http/domain/problem.ts'

export const visibleKey = '^[\\x21-\\x7e]{1,255}$'

/** Headers of endpoints that accept an `Idempotency-Key`. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: visibleKey,
      ...mustBe('1 to 255 visible ASCII characters, without spaces'),
      description:
        'A new value for each thing that you start, such as a UUID: 1 to 255 visible ASCII characters. For 24 hours a repeated key returns the first result. Crawls, monitors and the manual crawls of each monitor have separate keys.',
    }),
  ),
})

/**
 * Marks the response of a repeated key.
 * @throws ApiProblem if the key was used with another body and the installation is strict; then nothing was started
 */
export function noteReplay(
  reply: FastifyReply,
  { replayed, sameRequest }: Pick<RunStartedResponse, 'replayed' | 'sameRequest'>,
  isStrict: boolean,
): void {
  if (!replayed) return
  if (isStrict && !sameRequest) throw new ApiProblem('idempotency_key_reused', { field: 'idempotency-key' })
  reply.header('idempotent-replayed', 'true')
}

export const accepted = ({ id, status, url, enqueuedAt, reused }: RunStartedResponse) => ({
  id,
  status: status as CrawlAccepted['status'],
  url,
  enqueued_at: enqueuedAt,
  ...(reused && { reused }),
})
