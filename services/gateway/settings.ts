/** What the gateway and its projector can be told from outside. */

import { blocklist } from '@tidemark/blocklist/settings'
import { rangeFault } from '@tidemark/config/addresses'
import {
  connections,
  databaseConnection,
  egress,
  redisConnection,
  secrets,
} from '@tidemark/config/connections'
import { proxyPoolsFault } from '@tidemark/http/proxy-pools'
import { Type } from 'typebox'

export const Settings = Type.Object({
  ...connections,
  ...databaseConnection,
  ...redisConnection,
  ...egress,
  ...secrets,
  HOST: Type.String({ default: '127.0.0.1', description: 'Address to listen on.' }),
  PORT: Type.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65_535,
    description: 'Port to listen on; 0 takes a free one.',
  }),
  BODY_LIMIT: Type.Integer({
    default: 1024 ** 2,
    minimum: 1024,
    description: 'Bytes of a request body, beyond which it is answered 413.',
  }),
  GATEWAY_POOL_SIZE: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 1000,
    description: 'Most connections of a gateway to Postgres.',
  }),
  REQUEST_RATES: Type.Boolean({
    default: true,
    description:
      "Whether projects are held to their tier's rate of requests. Unlimited projects never are; false is for a gateway behind a limiter of its own.",
  }),
  TRUSTED_PROXIES: Type.Array(Type.String(), {
    default: [],
    check: rangeFault,
    description:
      'CIDRs of the reverse proxies in front of the gateway: what they say in X-Forwarded-For is believed, nobody else.',
  }),
  KEY_USES_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 86_400,
    description: 'So often each gateway tells when keys were last used.',
  }),
  EVENT_STREAMS_PER_PROJECT: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 100_000,
    description:
      'Streams of events (GET /v1/crawls/{id}/events) that a project may hold open at each gateway.',
  }),
  PROXY_POOLS: Type.String({
    default: '',
    check: proxyPoolsFault,
    description: "What crawls may ask for of the fetcher's PROXY_POOLS: to be the same.",
  }),
  ...blocklist,
})

export const ProjectorSettings = Type.Object({
  ...connections,
  ...databaseConnection,
  LOG_RETENTION_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3650,
    description: 'Days for which the calls of the API are kept (GET /v1/logs).',
  }),
})
