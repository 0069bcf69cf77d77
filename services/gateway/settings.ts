/** What the gateway and its projector can be told from outside. */
import { connections, databaseConnection, egress, secrets } from '@tidemark/config/connections'
import { Type } from 'typebox'

export const Settings = Type.Object({
  ...connections,
  ...databaseConnection,
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
  EVENT_STREAMS_PER_PROJECT: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 100_000,
    description:
      'Streams of events (GET /v1/crawls/{id}/events) that a project may hold open at each gateway.',
  }),
  PROXY_POOLS: Type.String({
    default: '',
    description: "What crawls may ask for of the fetcher's PROXY_POOLS: to be the same.",
  }),
  BLOCKLIST: Type.String({
    default: '',
    description:
      'List of hosts that are never crawled, nor their subdomains: a file, or an http(s) address, in the format of hosts files or one host a line. A short list of test hosts is always in force.',
  }),
  BLOCKLIST_REFRESH: Type.Integer({
    default: 3600,
    minimum: 1,
    maximum: 2_000_000,
    description: 'Seconds after which BLOCKLIST is read again. The last list stays while it cannot be read.',
  }),
})

export const ProjectorSettings = Type.Object({ ...connections, ...databaseConnection })
