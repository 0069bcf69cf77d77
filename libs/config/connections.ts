/** The settings that every service shares: where its servers are and what it is called. */
import os from 'node:os'
import { Type } from 'typebox'
import { nameServerFault, rangeFault } from './addresses.ts'

export const connections = {
  NATS_URL: Type.String({
    description: 'The NATS server, as nats://host:port; those of a cluster separated by commas.',
  }),
  INSTANCE: Type.String({
    default: '',
    whenUnset: () => `${os.hostname()}-${process.pid}`,
    description:
      'Name of this process: another for each process of a service. One that comes back under its name takes its leases up at once. The launcher sets it; unset, it is host name and process id.',
  }),
}

export const databaseConnection = {
  DATABASE_URL: Type.String({
    description:
      'The Postgres server, as postgres://user@host:port/database. `?sslmode=verify-full` asks for TLS and for a certificate in its name, `&sslrootcert=FILE` names an authority of your own; `require` means the same, and `no-verify` takes any certificate.',
  }),
}

export const redisConnection = {
  REDIS_URL: Type.String({ description: 'The Redis server, as redis://host:port.' }),
}

export const egress = {
  EGRESS_ALLOW: Type.Array(Type.String(), {
    default: [],
    check: rangeFault,
    description:
      'CIDRs that outgoing requests may reach although they are not public. Adds to the checks, replaces none.',
  }),
  DNS_SERVERS: Type.Array(Type.String(), {
    default: [],
    check: nameServerFault,
    description:
      'Addresses of the name servers to ask, as `9.9.9.9`, `10.0.0.2:5353` or `[2620:fe::fe]:53`. Unset: those of the system. Names of the hosts file are known without them; all others are asked for as they stand, without a search list.',
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
  SECRETS_KEYS_OLD: Type.Array(Type.String({ pattern: '^[0-9a-fA-F]{64}$' }), {
    default: [],
    description:
      'Keys that were SECRETS_KEY before, the newest first: what they sealed is opened with them. [How to replace a key](operating.md#to-replace-the-key).',
  }),
}
