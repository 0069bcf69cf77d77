/** API reference of webhooks: verification, deliveries and redelivery. */
import type { Operations } from '../reference/operation.ts'

const secret = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'

const refusedAttempt = {
  round: 1,
  attempt: 1,
  at: '2026-01-02T03:04:10.000Z',
  status: 410,
  latency_ms: 41,
  error: 'HTTP 410',
  response_excerpt: 'Gone',
}

const delivery = {
  id: 'msg_run42_crawl_done',
  run_id: 42,
  event: 'crawl.done',
  url: 'https://hooks.example.com/tidemark',
  state: 'dead',
  decided_at: '2026-01-02T03:04:09.900Z',
  ended_at: '2026-01-02T03:04:10.050Z',
  next_attempt_at: null,
  attempts: [refusedAttempt],
}

export const webhooks: Operations = {
  getWebhookSecret: {
    answer: {
      description: 'The newest secret. It stays the same until it is rotated.',
      example: { secret_hex: secret },
    },
  },
  rotateWebhookSecret: {
    body: { grace_seconds: 86_400 },
    answer: { description: 'The new secret.', example: { secret_hex: secret } },
    refuses: { conflict: ['too_many_secrets'] },
  },
  redeliverDead: {
    body: { since: '2026-01-02T00:00:00Z', state: 'dead' },
    answers: {
      202: {
        description: 'The number of redeliveries. They run beside other deliveries.',
        example: { redelivered: 37, left: 0 },
      },
    },
  },
  testWebhook: {
    body: { url: 'https://hooks.example.com/tidemark' },
    answer: {
      description: 'The result, even if the receiver rejected the webhook.',
      example: {
        id: 'msg_test_d14f099b-2a51-479a-91bd-5653ca4f6f6f',
        delivered: true,
        status: 204,
        latency_ms: 87,
        error: null,
        response_excerpt: null,
      },
    },
    refuses: { invalid_input: ['bad_url', 'private_address'] },
  },
  listDeliveries: {
    answer: {
      description:
        'The deliveries, sent or suppressed. Empty before the first event of the crawl that is sent, and without a webhook.',
      headers: ['ETag'],
      example: { items: [delivery] },
    },
  },
  redeliver: {
    answers: {
      202: {
        description: 'The redelivery is queued. The attempts listed are the earlier ones.',
        example: {
          ...delivery,
          state: 'pending',
          ended_at: null,
          next_attempt_at: '2026-01-02T04:00:00.000Z',
        },
      },
    },
    refuses: { conflict: ['delivery_under_way', 'delivery_suppressed', 'too_many_redeliveries'] },
  },
}
