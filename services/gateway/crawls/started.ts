/** Defines the `Idempotency-Key` header and the response body of an accepted crawl. */

import type { CrawlAccepted } from '@tidemark/contracts/http/crawls'
import { mustBe } from '@tidemark/contracts/primitives'
import type { RunStartedResponse } from '@tidemark/contracts/rpc/runs'
import { Type } from 'typebox'

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

export const accepted = ({ id, status, url, enqueuedAt, reused }: RunStartedResponse) => ({
  id,
  status: status as CrawlAccepted['status'],
  url,
  enqueued_at: enqueuedAt,
  ...(reused && { reused }),
})
