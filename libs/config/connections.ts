/** The settings that every service shares: where its servers are and what it is called. */
import { Type } from 'typebox'

export const connections = {
  NATS_URL: Type.String({ description: 'The NATS server, as nats://host:port.' }),
  INSTANCE: Type.String({
    default: 'standalone',
    description:
      'Name of this process. A process that comes back under its name takes its leases up at once.',
  }),
}

export const databaseConnection = {
  DATABASE_URL: Type.String({ description: 'The Postgres server, as postgres://user@host:port/database.' }),
}

export const redisConnection = {
  REDIS_URL: Type.String({ description: 'The Redis server, as redis://host:port.' }),
}

export const egress = {
  EGRESS_ALLOW: Type.Array(Type.String(), {
    default: [],
    description:
      'CIDRs that outgoing requests may reach although they are not public. Adds to the checks, replaces none.',
  }),
  SAMPLE_ORIGIN: Type.String({
    default: '',
    description:
      'address:port of the sample site, which the first start may crawl. Set by the launcher only.',
  }),
}

export const secrets = {
  SECRETS_KEY: Type.String({
    pattern: '^[0-9a-fA-F]{64}$',
    description:
      'Key under which headers, cookies and webhook secrets are sealed: 32 bytes in hex. The launcher makes and keeps one.',
  }),
}
